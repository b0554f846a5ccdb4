/* SPDX-License-Identifier: GPL-2.0-only */
/* Where memory lies, by node: of a process, of all, or of a control group. */
#ifndef CMD_POLICY_USAGE_H
#define CMD_POLICY_USAGE_H

#include "cmd/policy-view.h"
#include "lib/sys/numa-maps.h"

/* Bytes by node, sorted by node. */
struct amounts {
	struct tm_resident *list;
	size_t nr, cap;
};

struct process {
	uint64_t pid;
	char *name; /* of the command; as the kernel has it */
	struct amounts resident;
};

struct usage {
	struct amounts resident;	   /* all together */
	struct amounts anon, file, kernel; /* of a control group: what `resident` is made of */
	struct process *processes;
	size_t nr, cap;
	size_t denied;	  /* processes that this user may not look at */
	size_t malformed; /* lines that were not understood, and left out */
};

/* 0 or -ENOMEM. */
int amounts_add(struct amounts *amounts, int node, uint64_t bytes);
uint64_t amounts_get(const struct amounts *amounts, int node);
uint64_t amounts_sum(const struct amounts *amounts);

/* What of it is in nodes that are in no top tier; unknown where the tiers are. */
struct tm_num amounts_far(const struct amounts *amounts, const struct tm_tier_policy *policy);

/*
 * One process. Errors: -ESRCH, -EACCES, -ENOTSUP (a kernel without NUMA), others of reading;
 * -ENOMEM.
 */
int usage_read_process(struct usage *usage, const struct tm_root *root, uint64_t pid,
		       struct tm_error *err);

/*
 * All processes with memory. Those that end meanwhile are passed over, and those that may not be
 * looked at counted. Errors as above.
 */
int usage_read_all(struct usage *usage, const struct tm_root *root, struct tm_error *err);

/*
 * A control group (version 2), by its path below the mount point, or with that. Errors: -EINVAL (no
 * such path), -ENOENT, -EACCES, -ENOTSUP (version 1, or without the memory controller); -ENOMEM.
 */
int usage_read_cgroup(struct usage *usage, const struct tm_root *root, const char *path,
		      struct tm_error *err);

void usage_release(struct usage *usage);

#endif
