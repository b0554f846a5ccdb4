/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/bench/stream-team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tm_bench_streams_part *part_of(const struct tm_bench_thread *thread)
{
	const struct tm_bench_streams *streams = thread->context;

	return &streams->parts[thread->index];
}

/* Once through, whatever the time. */
static void fill_and_warm(struct tm_bench_thread *thread)
{
	struct tm_bench_stream *stream = &part_of(thread)->stream;

	tm_bench_stream_fill(stream);
	while (!stream->pass)
		thread->amount += tm_bench_stream_step(stream);
}

static void run_stream(struct tm_bench_thread *thread)
{
	struct tm_bench_stream *stream = &part_of(thread)->stream;

	do
		thread->amount += tm_bench_stream_step(stream);
	while (!tm_bench_over(thread));
}

static void check_stream(struct tm_bench_thread *thread)
{
	struct tm_bench_streams_part *part = part_of(thread);

	thread->error = tm_bench_stream_check(&part->stream, &part->error);
}

uint64_t tm_bench_streams_least(unsigned threads)
{
	return (uint64_t)sysconf(_SC_PAGESIZE) * threads;
}

static int map_arrays(struct tm_bench_streams *streams, const struct tm_bench_streams_want *want,
		      const struct tm_numa *numa, struct tm_error *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = want->array_bytes / TM_MAX(want->threads, 1U) / page * page;
	struct tm_bench_want memory = {
		.bytes = bytes * want->threads,
		.policy = want->policy,
		.nodes = want->nodes,
		.page = want->page,
	};
	int rc = bytes ? 0 : tm_error_set(err, EINVAL, "arrays smaller than a page a thread");

	for (unsigned k = 0; k < streams->nr && !rc; k++)
		rc = tm_bench_memory_map(&streams->memory[k], &memory, numa, err);
	for (unsigned i = 0; i < want->threads && !rc; i++) {
		struct tm_bench_stream *stream = &streams->parts[i].stream;

		stream->nr = bytes / sizeof(double);
		for (unsigned k = 0; k < streams->nr; k++)
			stream->arrays[k] =
				(double *)(void *)(streams->memory[k].address + (size_t)i * bytes);
	}
	return rc;
}

int tm_bench_streams_start(struct tm_bench_streams *streams,
			   const struct tm_bench_streams_want *want, const struct tm_numa *numa,
			   struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	struct tm_bench_stream model;
	int rc = tm_bench_stream_init(&model, want->op, want->reads, want->writes, want->vector,
				      want->nontemporal, err);

	*streams = (struct tm_bench_streams){ .nr = 0 };
	if (rc)
		return rc;
	streams->parts = calloc(TM_MAX(want->threads, 1U), sizeof(*streams->parts));
	if (!streams->parts)
		return tm_error_nomem(err);
	streams->nr = model.reads + model.writes;
	for (unsigned i = 0; i < want->threads; i++)
		streams->parts[i].stream = model;
	rc = tm_bench_team_start(&streams->team, want->threads, want->cpus, streams, err);
	if (!rc)
		rc = map_arrays(streams, want, numa, err);
	if (!rc)
		rc = tm_bench_team_run(&streams->team, fill_and_warm, 0, &outcome);
	if (rc)
		tm_bench_streams_end(streams);
	return rc;
}

void tm_bench_streams_end(struct tm_bench_streams *streams)
{
	tm_bench_team_end(&streams->team);
	for (unsigned k = 0; k < streams->nr; k++)
		tm_bench_memory_unmap(&streams->memory[k]);
	free(streams->parts);
	streams->parts = NULL;
	streams->nr = 0;
}

/* Both are sorted by node. */
static void add_place(struct tm_bench_place *sum, const struct tm_bench_place *place)
{
	for (size_t i = 0; i < place->nr; i++) {
		size_t at = 0;

		while (at < sum->nr && sum->nodes[at].node < place->nodes[i].node)
			at++;
		if (at == sum->nr || sum->nodes[at].node != place->nodes[i].node) {
			if (sum->nr == TM_ARRAY_SIZE(sum->nodes)) {
				sum->unknown += place->nodes[i].bytes;
				continue;
			}
			memmove(&sum->nodes[at + 1], &sum->nodes[at],
				(sum->nr - at) * sizeof(sum->nodes[0]));
			sum->nr++;
			sum->nodes[at].node = place->nodes[i].node;
			sum->nodes[at].bytes = 0;
		}
		sum->nodes[at].bytes += place->nodes[i].bytes;
	}
	sum->misplaced += place->misplaced;
	sum->unknown += place->unknown;
	sum->huge += place->huge;
}

int tm_bench_streams_look(const struct tm_bench_streams *streams, const struct tm_numa *numa,
			  struct tm_bench_place *place, struct tm_error *err)
{
	struct tm_bench_place sum = { .nr = 0 }, one;
	uint64_t bytes = 0, largest = 0;

	for (unsigned k = 0; k < streams->nr; k++) {
		int rc = tm_bench_memory_look(&streams->memory[k], numa, &one, err);

		if (rc)
			return rc;
		add_place(&sum, &one);
		bytes += streams->memory[k].bytes;
		largest = TM_MAX(largest, one.page_bytes);
	}
	sum.page_bytes = sum.huge > bytes / 2 ? largest : (uint64_t)sysconf(_SC_PAGESIZE);
	*place = sum;
	return 0;
}

int tm_bench_streams_run(struct tm_bench_streams *streams, uint64_t ns,
			 struct tm_bench_outcome *outcome)
{
	return tm_bench_team_run(&streams->team, run_stream, ns, outcome);
}

int tm_bench_streams_check(struct tm_bench_streams *streams, struct tm_error *err)
{
	struct tm_bench_outcome outcome;
	int rc = tm_bench_team_run(&streams->team, check_stream, 0, &outcome);

	for (unsigned i = 0; rc && i < streams->team.nr; i++) {
		if (streams->parts[i].error.number) {
			if (err)
				*err = streams->parts[i].error;
			return rc;
		}
	}
	return rc;
}
