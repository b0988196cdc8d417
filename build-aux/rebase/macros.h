/* SPDX-License-Identifier: BSD-3-Clause */
/* What spatch has to know to read MPICH's files: macros that stand where no expression does. */
#define MPL_STATIC_INLINE_PREFIX static inline
#define MPL_STATIC_INLINE_SUFFIX
#define ATTRIBUTE(attributes)
