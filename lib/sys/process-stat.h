/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is needed of /proc/PID/stat, proc_pid_stat(5). */
#ifndef TM_SYS_PROCESS_STAT_H
#define TM_SYS_PROCESS_STAT_H

#include <sys/types.h>

#include "lib/base/buf.h"
#include "lib/sys/root.h"

struct tm_process_stat {
	char name[16]; /* printable; cut where its escapes make it longer */
	char state;    /* a letter: Z and X have ended, and nobody has waited for Z yet */
	uint64_t threads;
	uint64_t start;	   /* ticks since boot: with the pid it names a process for good */
	uint64_t resident; /* base pages */
};

/*
 * `text` is a buffer to read into, kept from call to call. 0; -ESRCH or -ENOENT: there is no such
 * process (any more); -EINVAL: not of that form; -errno.
 */
int tm_process_stat_read(const struct tm_root *root, pid_t pid, struct tm_buf *text,
			 struct tm_process_stat *stat);
/* The same of a text. 0 or -EINVAL. */
int tm_process_stat_parse(const char *text, struct tm_process_stat *stat);

#endif
