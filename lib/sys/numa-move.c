/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/numa-move.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* Pages in one call: the process waits for no more than these. */
#define BATCH 512

#define NOT_TOLD INT_MIN

const char *tm_unmoved_name(enum tm_unmoved reason)
{
	static const char *const name[TM_NR_UNMOVED] = {
		[TM_UNMOVED_SHARED] = "shared", [TM_UNMOVED_BUSY] = "busy",
		[TM_UNMOVED_FULL] = "full",	[TM_UNMOVED_UNMOVABLE] = "unmovable",
		[TM_UNMOVED_GONE] = "gone",	[TM_UNMOVED_OTHER] = "other",
	};

	return name[reason];
}

void tm_move_release(struct tm_move *move)
{
	tm_idset_release(&move->full);
}

static enum tm_unmoved reason_of(int status)
{
	switch (-status) {
	case EACCES:
		return TM_UNMOVED_SHARED;
	case EBUSY:
	case EAGAIN:
		return TM_UNMOVED_BUSY;
	case ENOMEM:
		return TM_UNMOVED_FULL;
	case EFAULT:
	case EINVAL:
	case EIO:
		return TM_UNMOVED_UNMOVABLE;
	case ENOENT:
		return TM_UNMOVED_GONE;
	default:
		return TM_UNMOVED_OTHER;
	}
}

static void count(struct tm_move_count *counted, uint64_t page_bytes)
{
	counted->pages++;
	counted->bytes += page_bytes;
}

/* Some pages, and where each is to go. */
struct batch {
	void *pages[BATCH];
	int targets[BATCH];
	size_t nr;
	uint64_t page_bytes;
};

/* The target of an address: each in turn, those that are full left out. -1: none takes any. */
static int choose_target(const struct tm_move *move, uint64_t address)
{
	size_t open = 0, turn;

	tm_idset_for_each(id, move->to)
		open += !tm_idset_has(&move->full, id);
	if (!open)
		return -1;
	turn = (size_t)(address / move->stride % open);
	tm_idset_for_each(id, move->to)
		if (!tm_idset_has(&move->full, id) && !turn--)
			return (int)id;
	return -1;
}

/*
 * Counts what has moved and what will not; the rest, of which nothing is known, stays in the batch.
 * 0 or -errno.
 */
static int settle(struct tm_move *move, struct batch *b, const int *status)
{
	int now[BATCH];
	size_t left = 0;
	int rc = tm_numa_find_pages(move->numa, move->pid, b->nr, b->pages, now);

	if (rc)
		return rc;
	for (size_t i = 0; i < b->nr; i++) {
		if (now[i] == b->targets[i] || status[i] == b->targets[i]) {
			count(&move->moved, b->page_bytes);
		} else if (now[i] < 0) {
			count(&move->unmoved[TM_UNMOVED_GONE], b->page_bytes);
		} else if (status[i] < 0 && status[i] != NOT_TOLD) {
			count(&move->unmoved[reason_of(status[i])], b->page_bytes);
		} else {
			b->pages[left] = b->pages[i];
			b->targets[left++] = b->targets[i];
		}
	}
	b->nr = left;
	return 0;
}

/* The node to which the first of them should have gone is full: others' turn. -ENOSPC: none. */
static int retarget(struct tm_move *move, struct batch *b)
{
	if (tm_idset_add(&move->full, b->targets[0]))
		return -ENOMEM;
	for (size_t i = 0; i < b->nr; i++) {
		int target = choose_target(move, (uint64_t)(uintptr_t)b->pages[i]);

		if (target < 0) {
			for (; i < b->nr; i++)
				count(&move->unmoved[TM_UNMOVED_FULL], b->page_bytes);
			return -ENOSPC;
		}
		if (tm_idset_has(&move->full, b->targets[i]))
			b->targets[i] = target;
	}
	return 0;
}

/* One call, and what came of it. 0; -ENOMEM: a target is full; -errno. */
static int try_batch(struct tm_move *move, struct batch *b)
{
	int status[BATCH];
	long unmoved;
	int rc;

	for (size_t i = 0; i < b->nr; i++)
		status[i] = NOT_TOLD;
	unmoved = tm_numa_move_pages(move->numa, move->pid, b->nr, b->pages, b->targets, status,
				     move->shared);
	if (unmoved < 0 && unmoved != -ENOMEM)
		return (int)unmoved;
	rc = settle(move, b, status);
	return !rc && unmoved == -ENOMEM ? -ENOMEM : rc;
}

static int move_halves(struct tm_move *move, struct batch *b);

/*
 * Moves a batch: again with what is left as long as some of it moves, and in halves where nothing
 * does, until it is known which pages hold the others up.
 */
static int move_batch(struct tm_move *move, struct batch *b)
{
	while (b->nr) {
		size_t before = b->nr;
		int rc = try_batch(move, b);

		if (rc == -ENOMEM && b->nr)
			rc = retarget(move, b);
		else if (!rc && b->nr == before)
			return move_halves(move, b);
		if (rc && (rc != -ENOMEM || b->nr))
			return rc;
	}
	return 0;
}

static int move_halves(struct tm_move *move, struct batch *b)
{
	struct batch half = { .page_bytes = b->page_bytes };
	size_t first = b->nr / 2;
	int rc;

	if (b->nr == 1) {
		count(&move->unmoved[TM_UNMOVED_BUSY], b->page_bytes);
		return 0;
	}
	half.nr = b->nr - first;
	memcpy(half.pages, b->pages + first, half.nr * sizeof(*half.pages));
	memcpy(half.targets, b->targets + first, half.nr * sizeof(*half.targets));
	b->nr = first;
	rc = move_batch(move, b);
	return rc ? rc : move_batch(move, &half);
}

/* Keeps those that are on a node to be left. 0 or -errno. */
static int choose_pages(const struct tm_move *move, struct batch *b)
{
	int now[BATCH];
	size_t nr = 0;
	int rc = tm_numa_find_pages(move->numa, move->pid, b->nr, b->pages, now);

	for (size_t i = 0; i < b->nr && !rc; i++) {
		if (now[i] < 0 || !tm_idset_has(move->from, now[i]))
			continue;
		b->pages[nr] = b->pages[i];
		b->targets[nr] = choose_target(move, (uint64_t)(uintptr_t)b->pages[i]);
		rc = b->targets[nr++] < 0 ? -ENOSPC : 0;
	}
	b->nr = nr;
	return rc;
}

int tm_move_range(struct tm_move *move, uint64_t start, uint64_t end, uint64_t page_bytes)
{
	struct batch b;
	int rc = 0;

	for (uint64_t at = start; at < end && !rc;) {
		if (move->stop && move->stop(move->context, move))
			return -ECANCELED;
		b.page_bytes = page_bytes;
		for (b.nr = 0; b.nr < BATCH && at < end; at += page_bytes)
			b.pages[b.nr++] = (void *)(uintptr_t)at;
		rc = choose_pages(move, &b);
		if (!rc)
			rc = move_batch(move, &b);
	}
	return rc;
}
