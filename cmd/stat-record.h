/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `tiermem stat` has counted: a tiermem.stat/1 document in memory. Runs fill it, or a file
 * does; reports and comparisons are made from it, and know nothing of where it is from.
 */
#ifndef CMD_STAT_RECORD_H
#define CMD_STAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "lib/sample/summary.h"

/* Whose events a counter counted. */
enum stat_scope { STAT_SYSTEM, STAT_COMMAND, STAT_PROCESS };
#define STAT_SCOPES (STAT_PROCESS + 1)

enum stat_unit { STAT_COUNT, STAT_NS, STAT_BYTES };
#define STAT_UNITS (STAT_BYTES + 1)

/* In the order in which they are shown. */
enum stat_group {
	STAT_TIME,
	STAT_USAGE, /* what getrusage(2) tells of the command */
	STAT_INTERRUPTS,
	STAT_FLUSHES,
	STAT_EVENTS,
	STAT_TLB,
	STAT_MIGRATION,
	STAT_NUMA,
	STAT_THP,
	STAT_RECLAIM,
	STAT_SIZES,
};
#define STAT_GROUPS (STAT_SIZES + 1)

/* Words of the document, in the order of the enums. */
extern const char *const stat_scope_words[STAT_SCOPES];
extern const char *const stat_unit_words[STAT_UNITS];
extern const char *const stat_group_words[STAT_GROUPS];

/* What one run gave. */
struct stat_value {
	uint64_t value;
	bool known;
	bool scaled;	 /* an estimate: the event shared its hardware counter with others */
	char reason[24]; /* why it is not known; "": nothing says */
};

struct stat_value stat_value_of(struct tm_num num);
struct stat_value stat_value_none(const char *reason);

/* Which counter it is. */
struct stat_key {
	enum stat_group group;
	enum stat_scope scope;
	enum stat_unit unit;
	const char *name;    /* as the kernel or the event's list calls it */
	int cpu, node;	     /* -1: not of one */
	uint64_t size_bytes; /* of a huge page; 0: not of a size */
};

struct stat_counter {
	struct stat_key key;	   /* owns the name */
	struct stat_value *values; /* one for each run */
};

struct stat_node {
	int id;
	struct tm_num memory_total; /* bytes */
};

/* What must be the same for figures to be comparable. */
struct stat_machine {
	struct tm_text cpu_model;
	struct tm_text online_cpus; /* a list */
	struct tm_num page_size;    /* bytes */
	struct tm_text blind;	    /* what flushes past the TLB row, by its word; no obstacle */
	struct stat_node *nodes;    /* those with memory, by id */
	size_t nr_nodes, cap_nodes;
};

struct stat_run {
	int exit_code; /* meaningful where there was a command, and signal is 0 */
	int signal;
};

struct stat_record {
	struct tm_text kernel, host, boot_id;
	char *root;
	time_t when;
	char **command;	       /* ends with NULL; NULL: there was none */
	uint64_t pid;	       /* whose events were counted; 0: not of one process */
	enum stat_scope scope; /* of the events */
	struct stat_machine machine;
	struct stat_run *runs;
	size_t nr_runs, cap_runs;
	struct stat_counter *counters; /* by group; of one, the machine's before its parts' */
	size_t nr_counters, cap_counters;
};

void stat_record_release(struct stat_record *record);

/* A run begins: every counter has no value for it yet. 0 or -ENOMEM. */
int stat_record_run(struct stat_record *record);

/*
 * The value of a counter in the last run. One that was not there before has no values for earlier
 * runs. 0 or -ENOMEM.
 */
int stat_record_add(struct stat_record *record, const struct stat_key *key,
		    struct stat_value value);

/* All values of a counter. 0, -EEXIST where it is there already, or -ENOMEM. */
int stat_record_put(struct stat_record *record, const struct stat_key *key,
		    const struct stat_value *values);

/* NULL: there is none. */
const struct stat_counter *stat_record_find(const struct stat_record *record,
					    const struct stat_key *key);

/* "pgfault", "node2/pgpromote_success", "64kB/swpout", "cpu3/TLB". */
void stat_key_text(struct tm_buf *text, const struct stat_key *key);

/* The known values into *values (room for all runs). Returns how many there are. */
size_t stat_known_values(const struct stat_record *record, const struct stat_counter *counter,
			 uint64_t *values);

/* Is any of its values an estimate? */
bool stat_is_scaled(const struct stat_record *record, const struct stat_counter *counter);

/* What flushes past the row of TLB shootdowns, in words; NULL: nothing, or unknown. */
const char *stat_explain_blind(const struct stat_machine *machine);

/* The reason why a value is missing: that of the first run that has none. "": nothing says. */
const char *stat_missing_reason(const struct stat_record *record,
				const struct stat_counter *counter);

/* stat-json.c: the document; the caller frees *text. 0 or -errno. */
int stat_record_json(const struct stat_record *record, char **text, struct tm_error *err);

/* Adds the members median, min, max and median_absolute_deviation; all null without values. */
void stat_summary_json(struct tm_json *json, const struct tm_summary *summary, bool has_values);
/* Adds what names a counter: group, name, scope, unit, cpu, node, size_bytes. */
void stat_key_json(struct tm_json *json, const struct stat_key *key);

/* Adds the member "machine". */
void stat_machine_json(struct tm_json *json, const struct stat_machine *machine);
/* Adds the member "counters". 0 or -ENOMEM. */
int stat_counters_json(struct tm_json *json, const struct stat_record *record);

/*
 * stat-parse.c: reads a document back into a zeroed record. -EBADMSG where the file is not one, or
 * damaged; else what reading gives.
 */
int stat_record_read(struct stat_record *record, const char *name, struct tm_error *err);

/*
 * The parts that other documents have as well: kernel, host, boot_id and machine of a document, and
 * an object's counters, with a value for each of the record's runs. `name` begins messages. 0,
 * -EBADMSG or -ENOMEM.
 */
int stat_record_take_machine(struct stat_record *record, const struct tm_jvalue *document,
			     const char *name, struct tm_error *err);
int stat_record_take_counters(struct stat_record *record, const struct tm_jvalue *object,
			      const char *name, struct tm_error *err);

#endif
