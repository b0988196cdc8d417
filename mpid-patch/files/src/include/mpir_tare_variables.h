/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_TARE_VARIABLES_H_INCLUDED
#define MPIR_TARE_VARIABLES_H_INCLUDED

/* What the control variable TARE_MODE says: set when the environment has been read. */
#define MPIR_TARE_MODE_NAME_SZ 16
extern char MPIR_Tare_mode_name[MPIR_TARE_MODE_NAME_SZ];

#endif /* MPIR_TARE_VARIABLES_H_INCLUDED */
