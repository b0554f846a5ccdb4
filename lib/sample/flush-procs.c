/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/flush-procs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sys/process-stat.h"

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

static void look(struct tm_flush_proc *proc, const struct tm_root *root, struct tm_buf *text)
{
	struct tm_process_stat seen;
	int rc = proc->pid > 0 ? tm_process_stat_read(root, proc->pid, text, &seen) : -ENOENT;

	if (rc) {
		/* It has ended, and what was known of it still holds. */
		if (!tm_num_is(&proc->start))
			proc->start =
				tm_num_none(rc == -ESRCH ? TM_ABSENT : tm_state_from_errno(-rc));
		return;
	}
	if (!tm_num_is(&proc->start) || proc->start.value != seen.start)
		proc->victim = proc->initiator = 0;
	proc->start = tm_num_known(seen.start);
	memcpy(proc->comm, seen.name, sizeof(proc->comm));
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
