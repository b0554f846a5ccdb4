/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * openat2(RESOLVE_IN_ROOT) by hand, for kernels and emulators without it. In a header of its own
 * for tests.
 */
#ifndef TM_SYS_WALK_H
#define TM_SYS_WALK_H

#include <sys/types.h>

/* A descriptor or a negative errno; arguments as tm_io.open. */
int tm_walk_open(int root_fd, const char *path, int flags, mode_t mode);

#endif
