/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The few compiler extensions the project uses, under one name each. */
#ifndef TM_BASE_COMPILER_H
#define TM_BASE_COMPILER_H

#include <stddef.h>

#define TM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TM_CLEANUP(fn) __attribute__((cleanup(fn)))
#define TM_MUST_CHECK __attribute__((warn_unused_result))

#define TM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TM_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TM_MAX(a, b) ((a) > (b) ? (a) : (b))

/* For `TM_CLEANUP(tm_freep) char *s`: frees what the variable points to. */
void tm_freep(void *pointer_to_pointer);

#endif
