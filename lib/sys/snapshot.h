/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What makes a captured tree a snapshot: the document at its top that says of what machine it is.
 * Internal to lib/sys, but for the name.
 */
#ifndef TM_SYS_SNAPSHOT_H
#define TM_SYS_SNAPSHOT_H

#include "lib/sys/root.h"

#define TM_SNAPSHOT_DOCUMENT "tiermem-snapshot.json"
#define TM_SNAPSHOT_SCHEMA "tiermem.snapshot/1"

/* Unpacks an archive into a folder that goes away with it; the folder is opened in temp->fd. */
int tm_snapshot_unpack(int fd, const char *name, struct tm_temp *temp, struct tm_error *err);

/*
 * Takes over from the document what the files do not tell: the root's name on its machine, and the
 * page size. A tree without one is left as it is. -EINVAL where it is none that this version reads.
 */
int tm_snapshot_identify(struct tm_root *root, struct tm_error *err);

#endif
