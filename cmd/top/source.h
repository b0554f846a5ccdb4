/* SPDX-License-Identifier: GPL-2.0-only */
/* Where samples come from (a machine or a recording), and where they are recorded. */
#ifndef CMD_TOP_SOURCE_H
#define CMD_TOP_SOURCE_H

#include <stdio.h>

#include "cmd/top/facts.h"
#include "lib/sample/recording.h"

struct top_source {
	struct top_facts facts;
	unsigned facts_nr;   /* rises when they become others */
	uint64_t facts_ns;   /* when they were looked at */
	struct tm_root root; /* of a machine */
	struct tm_sampler sampler;
	FILE *recording; /* else NULL */
	const char *name;
	char *line;
	size_t line_cap;
	unsigned long line_nr;
	struct tm_jdoc *first; /* the line that was read for the facts */
};

/* From the machine below `root` (NULL: this one). */
int top_source_live(struct top_source *source, const char *root, struct tm_error *err);
/*
 * Counts by perf too, with hardware events of these names besides the usual ones. They count from
 * now on, so it is of no use for a single sample. Not for a recording.
 */
int top_source_events(struct top_source *source, const char *const *names, size_t nr_names,
		      struct tm_error *err);
/* From a recording; its first line is read. */
int top_source_replay(struct top_source *source, const char *file, struct tm_error *err);
void top_source_close(struct top_source *source);

/* Whether processes are looked at, from the next sample on. Does nothing to a recording. */
int top_source_processes(struct top_source *source, bool on, struct tm_error *err);

/* To poll(2) for POLLIN, upon which top_source_drain() is due; -1: there is none. */
int top_source_fd(const struct top_source *source);
void top_source_drain(struct top_source *source);

/*
 * Why flushes are not counted, in words, and what can be done; false where they are, and for a
 * recording.
 */
bool top_source_flush_error(const struct top_source *source, struct tm_error *err);

/*
 * The next sample. 1; 0 at the end of a recording; a negative errno. A last line that was cut short
 * is the end as well: its writer was killed.
 */
int top_source_next(struct top_source *source, struct tm_sample *sample, struct tm_error *err);

struct top_recorder {
	int fd; /* -1: none */
	const char *name;
	unsigned facts_nr; /* of those that were written last; 0: none yet */
};

/* Makes the file, which must not be there unless `force`. */
int top_recorder_open(struct top_recorder *recorder, const char *file, bool force,
		      struct tm_error *err);
/*
 * Adds a line in one write. Where that fails, or is taken in part, the file is cut back to its
 * whole lines.
 */
int top_recorder_add(struct top_recorder *recorder, const struct top_source *source,
		     const struct tm_sample *sample, struct tm_error *err);
void top_recorder_close(struct top_recorder *recorder);

#endif
