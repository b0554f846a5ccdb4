/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/flush-procs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A power of two, at most half of it in use. */
#define SLOTS (2 * TM_FLUSH_PROCS)
#define NEARLY_FULL (TM_FLUSH_PROCS / 4 * 3)

_Static_assert(TM_FLUSH_PROCS < UINT16_MAX && !(SLOTS & (SLOTS - 1)), "positions fit the index");

int tm_flush_procs_init(struct tm_flush_procs *procs)
{
	struct tm_flush_procs p = {
		.list = calloc(TM_FLUSH_PROCS, sizeof(*p.list)),
		.index = calloc(SLOTS, sizeof(*p.index)),
		.cap = TM_FLUSH_PROCS,
	};

	if (!p.list || !p.index) {
		tm_flush_procs_release(&p);
		return -ENOMEM;
	}
	*procs = p;
	return 0;
}

void tm_flush_procs_release(struct tm_flush_procs *procs)
{
	free(procs->list);
	free(procs->index);
	*procs = (struct tm_flush_procs){ 0 };
}

/* The slot of an id, or the free one where it belongs. */
static uint16_t *find_slot(const struct tm_flush_procs *procs, pid_t pid)
{
	uint32_t at = (uint32_t)pid * 2654435761u >> 12;

	for (;; at++) {
		uint16_t *slot = &procs->index[at % SLOTS];

		if (!*slot || procs->list[*slot - 1].pid == pid)
			return slot;
	}
}

void tm_flush_procs_add(struct tm_flush_procs *procs, pid_t pid, bool victim)
{
	uint16_t *slot = find_slot(procs, pid);
	struct tm_flush_proc *proc;

	if (!*slot) {
		if (procs->nr == procs->cap) {
			*(victim ? &procs->other_victim : &procs->other_initiator) += 1;
			return;
		}
		procs->list[procs->nr] = (struct tm_flush_proc){ .pid = pid };
		*slot = (uint16_t)++procs->nr;
	}
	proc = &procs->list[*slot - 1];
	*(victim ? &proc->new_victim : &proc->new_initiator) += 1;
}

/* "PID (COMM) S PPID …": COMM may hold anything, blanks and brackets too; field 22 is the start. */
static bool parse_stat(const char *text, struct tm_flush_proc *proc)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *s = close;
	struct tm_buf name = TM_BUF_INIT;
	char *end;

	if (!open || !close || close < open)
		return false;
	for (int field = 2; field < 22; field++) {
		s = strchr(s + 1, ' ');
		if (!s)
			return false;
	}
	errno = 0;
	proc->start = tm_num_known(strtoull(s + 1, &end, 10));
	if (end == s + 1 || errno)
		return false;
	tm_buf_add_printable(&name, open + 1, (size_t)(close - open - 1));
	strncpy(proc->comm, tm_buf_str(&name), sizeof(proc->comm) - 1);
	proc->comm[sizeof(proc->comm) - 1] = '\0';
	tm_buf_release(&name);
	return true;
}

static void look(struct tm_flush_proc *proc, const struct tm_root *root, struct tm_buf *text)
{
	struct tm_flush_proc seen = { .start = tm_num_none(TM_ABSENT) };
	char path[TM_PATH_MAX];
	int rc = -ENOENT;

	if (proc->pid > 0 && !tm_path_format(path, "proc/%d/stat", (int)proc->pid))
		rc = tm_root_read(root, path, 64 << 10, text);
	if (!rc && !parse_stat(tm_buf_str(text), &seen))
		rc = -EINVAL;
	if (rc) {
		/* It has ended, and what was known of it still holds. */
		if (!tm_num_is(&proc->start))
			proc->start =
				tm_num_none(rc == -ESRCH ? TM_ABSENT : tm_state_from_errno(-rc));
		return;
	}
	if (!tm_num_is(&proc->start) || proc->start.value != seen.start.value)
		proc->victim = proc->initiator = 0;
	proc->start = seen.start;
	memcpy(proc->comm, seen.comm, sizeof(proc->comm));
}

/* Removes those without new flushes. */
static void make_place(struct tm_flush_procs *procs)
{
	size_t kept = 0;

	for (size_t i = 0; i < procs->nr; i++)
		if (procs->list[i].new_victim || procs->list[i].new_initiator)
			procs->list[kept++] = procs->list[i];
	procs->nr = kept;
	memset(procs->index, 0, SLOTS * sizeof(*procs->index));
	for (size_t i = 0; i < kept; i++)
		*find_slot(procs, procs->list[i].pid) = (uint16_t)(i + 1);
}

void tm_flush_procs_settle(struct tm_flush_procs *procs, const struct tm_root *root)
{
	struct tm_buf text = TM_BUF_INIT;

	if (procs->nr > NEARLY_FULL)
		make_place(procs);
	for (size_t i = 0; i < procs->nr; i++) {
		struct tm_flush_proc *proc = &procs->list[i];

		proc->last_victim = proc->new_victim;
		proc->last_initiator = proc->new_initiator;
		if (!proc->new_victim && !proc->new_initiator)
			continue;
		look(proc, root, &text);
		proc->victim += proc->new_victim;
		proc->initiator += proc->new_initiator;
		proc->new_victim = proc->new_initiator = 0;
	}
	tm_buf_release(&text);
}
