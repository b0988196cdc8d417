/* SPDX-License-Identifier: BSD-3-Clause */
/* What the environment says to libtare alone. MPICH is built with tare_env.h, so what stands here is no part of its
 * build. The variables are rows of the one table in env.cpp; tare_env_read has checked them.
 */
#ifndef TARE_ENV_OWN_H_INCLUDED
#define TARE_ENV_OWN_H_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

/* TARE_REPEAT_PROBES, 0 to 9; 0 also where it holds what is not allowed. */
int tare_env_repeat_probes(void);

#ifdef __cplusplus
}
#endif

#endif /* TARE_ENV_OWN_H_INCLUDED */
