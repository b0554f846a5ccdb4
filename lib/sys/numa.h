/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory policies: the system calls, through libnuma. It is loaded when it is used, because it
 * reads the live /sys as soon as it is loaded. For the same reason nothing here asks it about the
 * machine.
 *
 * These calls act on this process and this machine, whatever root is read.
 */
#ifndef TM_SYS_NUMA_H
#define TM_SYS_NUMA_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"

struct bitmask; /* libnuma's */

/* The kernel's numbers: linux/mempolicy.h. Older headers lack the last two. */
enum tm_policy {
	TM_POLICY_DEFAULT,
	TM_POLICY_PREFERRED, /* one node */
	TM_POLICY_BIND,
	TM_POLICY_INTERLEAVE,
	TM_POLICY_LOCAL,
	TM_POLICY_PREFERRED_MANY,      /* Linux 5.15 */
	TM_POLICY_WEIGHTED_INTERLEAVE, /* Linux 6.9 */
	TM_NR_POLICIES,
};

/* "weighted-interleave": as in JSON; NULL for none of them. */
const char *tm_policy_name(unsigned policy);

struct tm_numa {
	void *handle;
	long (*set_mempolicy)(int mode, const unsigned long *mask, unsigned long max_node);
	long (*get_mempolicy)(int *mode, const unsigned long *mask, unsigned long max_node,
			      void *address, unsigned flags);
	long (*mbind)(void *start, unsigned long len, int mode, const unsigned long *mask,
		      unsigned long max_node, unsigned flags);
	long (*move_pages)(int pid, unsigned long count, void **pages, const int *nodes,
			   int *status, int flags);
	struct bitmask *(*mask_new)(unsigned bits);
	struct bitmask *(*mask_set)(struct bitmask *mask, unsigned bit);
	int (*mask_has)(const struct bitmask *mask, unsigned bit);
	void (*mask_free)(struct bitmask *mask);
};

/* 0, or -ENOSYS where the library is not installed. */
int tm_numa_load(struct tm_numa *numa, struct tm_error *err);
/* Harmless on a zeroed struct, and twice. */
void tm_numa_unload(struct tm_numa *numa);

/*
 * The policy of this thread, which children inherit and exec keeps. `nodes` may be NULL for none.
 * The kernel cuts the nodes to those that have memory and that the cpuset allows. 0; -EINVAL (the
 * kernel does not know the policy, or no node is left), -EPERM (a container forbids it), …
 */
int tm_numa_set_policy(const struct tm_numa *numa, enum tm_policy policy,
		       const struct tm_idset *nodes);

/*
 * The policy of a mapping of this process, from a page's start on. What is there already stays
 * where it is. As tm_numa_set_policy.
 */
int tm_numa_set_range(const struct tm_numa *numa, void *start, size_t bytes, enum tm_policy policy,
		      const struct tm_idset *nodes);

/*
 * Would it be taken? Asked of one page of its own, so that nothing changes. As tm_numa_set_policy.
 */
int tm_numa_try_policy(const struct tm_numa *numa, enum tm_policy policy,
		       const struct tm_idset *nodes);

/*
 * With NULL the policy of this thread, with an address of this process that of the mapping there
 * (TM_POLICY_DEFAULT: it has none of its own, and the thread's counts). It may be a number beyond
 * those above on a newer kernel. 0 or -errno.
 */
int tm_numa_get_policy(const struct tm_numa *numa, const void *address, unsigned *policy,
		       struct tm_idset *nodes);

/*
 * For each page (any address in it) of a process, 0 for this one: the node where it lies, or -errno
 * (-ENOENT: not there yet). 0 or -errno.
 */
int tm_numa_find_pages(const struct tm_numa *numa, pid_t pid, size_t count, void **pages,
		       int *nodes);

/*
 * Moves pages of a process to one node each. How many were certainly not moved (the kernel then
 * gives up, and may not have tried all), or -errno: -EACCES (a node that its cpuset does not
 * allow), -ENODEV, -EPERM, -ESRCH, -ENOMEM (a node is full).
 *
 * status[i] is the node, or -errno of this page; where the kernel has not come to tell, it is what
 * it was before. `shared`: also pages that several processes map, which needs CAP_SYS_NICE.
 */
long tm_numa_move_pages(const struct tm_numa *numa, pid_t pid, size_t count, void **pages,
			const int *nodes, int *status, bool shared);

#endif
