/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file or folder that does not outlive the process that made it, however that ends. A child of
 * its own waits for the end of its parent, or for tm_temp_release, and then removes it: signal
 * handlers could not do that for a library, nor for SIGKILL.
 */
#ifndef TM_SYS_TEMP_H
#define TM_SYS_TEMP_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/error.h"

struct tm_temp {
	int fd;		/* the file, for writing, or the folder */
	int folder_fd;	/* the folder in which it lies */
	char name[64];	/* in that folder */
	int alive;	/* a pipe's end, which closes with the process */
	pid_t guardian; /* 0: nothing was made */
};

/* A new, empty, private folder in the folder `where`. 0 or -errno. */
int tm_temp_folder(struct tm_temp *temp, const char *where, struct tm_error *err);

/* A new, empty file that only its owner may read, in the folder of the file `beside`. */
int tm_temp_file(struct tm_temp *temp, const char *beside, struct tm_error *err);

/*
 * Gives the file its name, the last part of `path`, which was `beside`: from now on it stays.
 * -EEXIST where that name is taken, unless it is to be replaced.
 */
int tm_temp_keep(struct tm_temp *temp, const char *path, bool replace);

/* Removes it with all that is in it, unless it was kept. Harmless on a zeroed struct, and twice. */
void tm_temp_release(struct tm_temp *temp);

#endif
