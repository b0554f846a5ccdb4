/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes out of a snapshot what tells whose machine it is, and puts stand-ins of the same form in
 * its place: serial numbers, UUIDs (of boot, regions, file systems), hardware addresses, the host's
 * name. Equal ones get equal stand-ins, so what belongs together still does.
 */
#ifndef TM_SYS_ANONYMISE_H
#define TM_SYS_ANONYMISE_H

#include "lib/sys/entry.h"

#define TM_ANONYMOUS_HOST "anonymous"

/* 0 or -ENOMEM. */
int tm_anonymise(struct tm_entry *const *list, size_t nr, struct tm_error *err);

#endif
