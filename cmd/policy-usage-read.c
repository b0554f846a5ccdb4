/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads /proc/PID/numa_maps and a control group's memory.numa_stat. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/policy-usage.h"
#include "lib/base/units.h"
#include "lib/sys/attr.h"

/* A line of numa_maps is some 100 bytes, and a process may have 65530 mappings and more. */
#define MAPS_MAX (256u << 20)
#define STAT_MAX (1u << 20)
#define CGROUPS "sys/fs/cgroup"

int amounts_add(struct amounts *amounts, int node, uint64_t bytes)
{
	size_t at = 0;

	while (at < amounts->nr && amounts->list[at].node < node)
		at++;
	if (at == amounts->nr || amounts->list[at].node != node) {
		if (tm_array_grow(&amounts->list, amounts->nr, &amounts->cap,
				  sizeof(*amounts->list)))
			return -ENOMEM;
		memmove(&amounts->list[at + 1], &amounts->list[at],
			(amounts->nr - at) * sizeof(*amounts->list));
		amounts->list[at] = (struct tm_resident){ .node = node };
		amounts->nr++;
	}
	/* Only a forged tree reaches the end of 64 bits. */
	if (__builtin_add_overflow(amounts->list[at].bytes, bytes, &amounts->list[at].bytes))
		amounts->list[at].bytes = UINT64_MAX;
	return 0;
}

uint64_t amounts_get(const struct amounts *amounts, int node)
{
	for (size_t i = 0; i < amounts->nr; i++)
		if (amounts->list[i].node == node)
			return amounts->list[i].bytes;
	return 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t amounts_sum(const struct amounts *amounts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < amounts->nr; i++)
		sum = add(sum, amounts->list[i].bytes);
	return sum;
}

struct tm_num amounts_far(const struct amounts *amounts, const struct tm_tier_policy *p)
{
	struct tm_num far = tm_num_known(0);

	for (size_t i = 0; i < amounts->nr; i++) {
		const struct tm_policy_node *node = tm_policy_node(p, amounts->list[i].node);

		if (!amounts->list[i].bytes)
			continue;
		if (!node || !tm_num_is(&node->top))
			return tm_num_none(node ? node->top.state : TM_UNKNOWN);
		if (!node->top.value)
			far.value = add(far.value, amounts->list[i].bytes);
	}
	return far;
}

static void release_process(struct process *process)
{
	free(process->name);
	free(process->resident.list);
	*process = (struct process){ 0 };
}

void usage_release(struct usage *usage)
{
	for (size_t i = 0; i < usage->nr; i++)
		release_process(&usage->processes[i]);
	free(usage->processes);
	free(usage->resident.list);
	free(usage->anon.list);
	free(usage->file.list);
	free(usage->kernel.list);
	*usage = (struct usage){ 0 };
}

static int take_maps(struct process *process, const char *text, size_t *malformed)
{
	struct tm_numa_maps maps = { 0 };
	int rc = tm_numa_maps_parse(&maps, text, NULL);

	for (size_t i = 0; i < maps.nr; i++)
		for (size_t k = 0; k < maps.list[i].nr && !rc; k++)
			rc = amounts_add(&process->resident, maps.list[i].resident[k].node,
					 maps.list[i].resident[k].bytes);
	*malformed += maps.malformed;
	tm_numa_maps_release(&maps);
	return rc;
}

/* 0; -ENOENT and -ESRCH where it is gone, or the kernel has no NUMA; others; -ENOMEM. */
static int read_process(const struct tm_root *root, uint64_t pid, struct process *process,
			size_t *malformed)
{
	struct process read = { .pid = pid };
	struct tm_buf text = TM_BUF_INIT;
	char path[TM_PATH_MAX];
	struct tm_text name;
	int rc;

	tm_path_format(path, "proc/%" PRIu64 "/numa_maps", pid);
	rc = tm_root_read(root, path, MAPS_MAX, &text);
	if (!rc)
		rc = take_maps(&read, tm_buf_str(&text), malformed);
	tm_buf_release(&text);
	if (!rc) {
		tm_path_format(path, "proc/%" PRIu64 "/comm", pid);
		name = tm_attr_text(root, path);
		read.name = name.state == TM_KNOWN ? name.value : strdup("?");
		rc = read.name ? 0 : -ENOMEM;
	}
	if (rc)
		release_process(&read);
	else
		*process = read;
	return rc;
}

/* Takes what the process owns. */
static int add_process(struct usage *usage, struct process *process)
{
	int rc =
		tm_array_grow(&usage->processes, usage->nr, &usage->cap, sizeof(*usage->processes));

	for (size_t i = 0; i < process->resident.nr && !rc; i++)
		rc = amounts_add(&usage->resident, process->resident.list[i].node,
				 process->resident.list[i].bytes);
	if (rc)
		release_process(process);
	else
		usage->processes[usage->nr++] = *process;
	return rc;
}

static int no_numa(struct tm_error *err)
{
	return tm_error_set(err, ENOTSUP, "/proc/PID/numa_maps: this kernel has no NUMA support");
}

int usage_read_process(struct usage *usage, const struct tm_root *root, uint64_t pid,
		       struct tm_error *err)
{
	struct process process;
	char path[TM_PATH_MAX];
	int rc = read_process(root, pid, &process, &usage->malformed);

	if (!rc)
		rc = add_process(usage, &process);
	if (!rc)
		return 0;
	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	tm_path_format(path, "proc/%" PRIu64, pid);
	if (rc == -ENOENT && tm_root_exists(root, path))
		return no_numa(err);
	if (rc == -ENOENT || rc == -ESRCH)
		return tm_error_set(err, ESRCH, "there is no process %" PRIu64, pid);
	tm_error_errno(err, -rc, "/%s/numa_maps", path);
	if (rc == -EACCES || rc == -EPERM)
		tm_error_hint(err, "only root sees the memory of other users' processes");
	return rc;
}

int usage_read_all(struct usage *usage, const struct tm_root *root, struct tm_error *err)
{
	bool numa = false, any = false;
	struct tm_scan scan;
	const char *name;
	long pid;
	int rc = tm_scan_open(root, "proc", &scan);

	if (rc)
		return tm_error_errno(err, -rc, "/proc");
	while (rc != -ENOMEM && (name = tm_scan_next(&scan))) {
		struct process process;

		if (!tm_name_id(name, "", &pid))
			continue;
		any = true;
		rc = read_process(root, (uint64_t)pid, &process, &usage->malformed);
		numa |= rc != -ENOENT;
		usage->denied += rc == -EACCES || rc == -EPERM;
		/* A kernel thread has no memory of its own. */
		if (!rc && !amounts_sum(&process.resident))
			release_process(&process);
		else if (!rc)
			rc = add_process(usage, &process);
	}
	tm_scan_close(&scan);
	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (!any)
		return tm_error_set(err, ESRCH, "/proc: no processes are there");
	return numa ? 0 : no_numa(err);
}

/* --- control groups --- */

/* "anon N0=8192 N1=0": adds the bytes of each node. */
static int take_stat(const char *line, const char *end, struct amounts *amounts, size_t *malformed)
{
	const char *word = memchr(line, ' ', (size_t)(end - line));
	int rc = 0;

	while (word && word < end && !rc) {
		const char *next = memchr(word + 1, ' ', (size_t)(end - word - 1));
		const char *stop = next ? next : end;
		char text[64], *equals;
		uint64_t bytes;
		long node;

		snprintf(text, sizeof(text), "%.*s", (int)TM_MIN(stop - word - 1, 63), word + 1);
		equals = strchr(text, '=');
		if (equals)
			*equals = '\0';
		if (equals && tm_name_id(text, "N", &node) && node <= TM_ID_MAX &&
		    !tm_parse_u64(equals + 1, &bytes))
			rc = amounts_add(amounts, (int)node, bytes);
		else
			++*malformed;
		word = next;
	}
	return rc;
}

static int take_stats(struct usage *usage, const char *text)
{
	const struct {
		const char *key;
		struct amounts *amounts;
	} kinds[] = {
		{ "anon ", &usage->anon },
		{ "file ", &usage->file },
		{ "kernel_stack ", &usage->kernel },
		{ "pagetables ", &usage->kernel },
		{ "sec_pagetables ", &usage->kernel },
		{ "slab_reclaimable ", &usage->kernel },
		{ "slab_unreclaimable ", &usage->kernel },
	};
	size_t twice = 0;
	int rc = 0;

	for (const char *line = text, *end; *line && !rc; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		for (size_t i = 0; i < TM_ARRAY_SIZE(kinds) && !rc; i++) {
			if (strncmp(line, kinds[i].key, strlen(kinds[i].key)))
				continue;
			rc = take_stat(line, end, kinds[i].amounts, &usage->malformed);
			if (!rc)
				rc = take_stat(line, end, &usage->resident, &twice);
		}
	}
	return rc;
}

/* The path below the mount point, without slashes around; NULL: it leads outside. */
static const char *below(const char *path)
{
	static const char mount[] = "/" CGROUPS;

	if (!strncmp(path, mount, strlen(mount)) && strchr("/", path[strlen(mount)]))
		path += strlen(mount);
	while (*path == '/')
		path++;
	for (const char *at = path; *at; at += strspn(at, "/")) {
		size_t len = strcspn(at, "/");

		if (len == 2 && !strncmp(at, "..", 2))
			return NULL;
		at += len;
	}
	return path;
}

static int explain_cgroup(const struct tm_root *root, const char *group, int rc,
			  struct tm_error *err)
{
	char folder[TM_PATH_MAX];

	tm_path_format(folder, CGROUPS "%s%s", *group ? "/" : "", group);
	if (rc != -ENOENT)
		return tm_error_errno(err, -rc, "/%s/memory.numa_stat", folder);
	if (!tm_root_exists(root, CGROUPS "/cgroup.controllers")) {
		tm_error_set(err, ENOTSUP,
			     "/" CGROUPS ": no control groups of version 2 are mounted there");
		tm_error_hint(err, "version 1 is not read");
		return -ENOTSUP;
	}
	if (!tm_root_exists(root, folder))
		return tm_error_set(err, ENOENT, "/%s: there is no such control group", folder);
	tm_error_set(err, ENOTSUP, "/%s: the memory controller is not on for it", folder);
	tm_error_hint(err, "echo +memory into cgroup.subtree_control of the group above");
	return -ENOTSUP;
}

int usage_read_cgroup(struct usage *usage, const struct tm_root *root, const char *path,
		      struct tm_error *err)
{
	const char *group = below(path);
	struct tm_buf text = TM_BUF_INIT;
	char name[TM_PATH_MAX];
	int rc;

	if (!group ||
	    tm_path_format(name, CGROUPS "/%s%smemory.numa_stat", group, *group ? "/" : ""))
		return tm_error_set(err, EINVAL, "--cgroup: '%.100s' is no path of a control group",
				    path);
	rc = tm_root_read(root, name, STAT_MAX, &text);
	if (rc)
		rc = explain_cgroup(root, group, rc, err);
	else if (take_stats(usage, tm_buf_str(&text)))
		rc = tm_error_nomem(err);
	tm_buf_release(&text);
	return rc;
}
