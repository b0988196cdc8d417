/* SPDX-License-Identifier: BSD-3-Clause */
/* SMPI's mpi.h with the declaration that the standard has where SimGrid 3.32's lacks a const. */
#ifndef TARE_TEST_SMPI_MPI_H
#define TARE_TEST_SMPI_MPI_H

#define MPI_Get_elements_x smpi_declares_otherwise
#include <smpi/mpi.h>
#undef MPI_Get_elements_x

#ifdef __cplusplus
extern "C"
#endif
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *elements);

#endif
