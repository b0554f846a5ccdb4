/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `tiermem stat` share. */
#ifndef CMD_STAT_VIEW_H
#define CMD_STAT_VIEW_H

#include <signal.h>

#include "cmd/child.h"
#include "cmd/command.h"
#include "cmd/stat-record.h"
#include "lib/model/machine.h"
#include "lib/out/table.h"
#include "lib/sample/sample.h"

/* What the command line asks for. */
struct stat_request {
	uint64_t repeat;
	const char *output; /* NULL: none */
	const char *events; /* names with commas between; NULL: the usual ones */
	enum stat_scope scope;
	uint64_t pid; /* STAT_PROCESS: whose; else 0 */
};

/* stat-run.c: counts, and reports. An exit code. */
int stat_run(struct app *app, const struct stat_request *request);

/* stat-machine.c: kernel, host, boot, root and the machine into a zeroed record. 0 or -errno. */
int stat_read_machine(struct stat_record *record, const struct tm_root *root, struct tm_error *err);
/* The same of a machine that was read from this root. */
int stat_take_machine(struct stat_record *record, const struct tm_root *root,
		      const struct tm_machine *m, struct tm_error *err);

/* stat-count.c: what happened between two samples, into the record's last run. 0 or -ENOMEM. */
int stat_count_pair(struct stat_record *record, const struct tm_sample *before,
		    const struct tm_sample *now);
/* What the command used. */
int stat_count_usage(struct stat_record *record, uint64_t elapsed_ns, const struct child_end *end);

/* stat-show.c: the report for people. 0 or -errno; the caller frees *text. */
int stat_show(const struct app *app, const struct stat_record *record,
	      const struct tm_table_style *style, char **text, struct tm_error *err);
/* A number as people read it: "40,417,078", "1.184 s", "16.5G"; exact where `raw`. */
void stat_add_number(struct tm_buf *text, uint64_t value, enum stat_unit unit, bool raw);
/* "./xsbench -t 16", cut where it is longer than `most` cells. */
void stat_add_command(struct tm_buf *text, const struct stat_record *record, size_t most);

/* stat-compare.c: `--compare BEFORE AFTER`. An exit code. */
int stat_compare(struct app *app, const char *before, const char *after);

#endif
