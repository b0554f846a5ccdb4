/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which memory is a socket's own: its DRAM, and the far memory that is nearest to it. */
#ifndef TM_MODEL_LOCAL_H
#define TM_MODEL_LOCAL_H

#include "lib/model/machine.h"

/*
 * The nodes with memory that are local to CPUs. A node's memory is local to the CPUs of its best
 * initiators, as the kernel names them (access1; access0 where those have CPUs), else to those of
 * the nearest nodes with CPUs, by distance. Where that gives nothing (CPUs in nodes without
 * memory), it is the memory nearest to them.
 *
 * The set is empty where none of the CPUs is in a node, or nothing is known that tells. 0 or
 * -ENOMEM.
 */
int tm_machine_local(const struct tm_machine *machine, const struct tm_idset *cpus,
		     struct tm_idset *nodes);

#endif
