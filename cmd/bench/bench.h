/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every benchmark does alike: options, the machine, settings for the time of the run, cases
 * measured in children, the result shown and saved.
 *
 *	bench_run → kind's parse → its run → { bench_setting …, bench_measure … } → shown, saved
 *
 * Cases are measured in a child each: what it maps is gone with it, and when the kernel kills it
 * for memory the parent puts the settings back and says so. A child whose parent is killed ends
 * too.
 */
#ifndef CMD_BENCH_BENCH_H
#define CMD_BENCH_BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/bench/result.h"
#include "cmd/command.h"
#include "cmd/stat-events.h"
#include "lib/model/machine.h"
#include "lib/plan/plan.h"
#include "lib/sample/sample.h"
#include "lib/sys/numa.h"

extern const struct command bench_command;

/* Options that every benchmark has, before its own. */
#define BENCH_OPTIONS                                                                             \
	{ "time", 't', "SECONDS", VALUE_TEXT, "how long each repeat takes", NULL },               \
		{ "repeat", 'r', "N", VALUE_NUMBER, "repeats of each case", NULL },               \
		{ "threads", 'j', "N", VALUE_NUMBER, "threads (one for each CPU)", NULL },        \
		{ "cpus", 'C', "LIST", VALUE_TEXT, "run on these CPUs, such as 0-3,8", NULL },    \
		{ "nodes", 'N', "LIST", VALUE_TEXT, "memory of these nodes, such as 0,2", NULL }, \
		{ "quick", 'Q', NULL, VALUE_TEXT, "a first look: small and short", NULL },        \
		{ "stat", 's', NULL, VALUE_TEXT, "also count as `tiermem stat` does", NULL },     \
		{ "save", 'o', "FILE", VALUE_FILE, "save the result, for `bench report`", NULL }, \
	{                                                                                         \
		"force", 'f', NULL, VALUE_TEXT, "replace FILE if it is there", NULL               \
	}

/* The globals that benchmarks honour: they measure the live machine. */
#define BENCH_GLOBALS (GLOBAL_JSON | GLOBAL_TABLE)

struct bench;

struct benchmark {
	const struct bench_kind *kind;
	/*
	 * Checks the benchmark's own options. 0; -EINVAL: usage; -ENOTSUP: this machine cannot.
	 * May be NULL.
	 */
	int (*parse)(struct bench *b, struct tm_error *err);
	/*
	 * Measures. 0; -EINTR (a signal: bench_measure says so), -ENOTSUP (exit 3), any other
	 * -errno (exit 1), with the text in *err.
	 */
	int (*run)(struct bench *b, struct tm_error *err);
	/* More to show after the tables, or NULL; adds to *text. 0 or -errno. */
	int (*show)(struct bench *b, struct tm_buf *text, struct tm_error *err);
	/* Of b->request, which is there, zeroed, from before parse() to after release(). */
	size_t request_bytes;
	/* Frees what the request owns. May be NULL. */
	void (*release)(struct bench *b);
	/* Of one repeat, where --time does not say: usually, and with --quick. 0: the usual ones */
	uint64_t time_ns, quick_time_ns;
	bool counters; /* takes counters whether or not --stat is given */
};

struct bench {
	struct app *app;
	const struct benchmark *benchmark;
	struct tm_root root;
	struct tm_machine machine;
	struct tm_numa numa;
	void *request; /* the benchmark's own */

	bool quick, stat;
	uint64_t time_ns;
	unsigned repeat, threads;
	bool cpus_given, nodes_given, threads_given;
	struct tm_idset cpus;  /* to run on: --cpus, or all that this process may use */
	struct tm_idset nodes; /* with memory: --nodes, or all that this process may use */

	struct bench_result result;
	/* Private. */
	struct tm_plan plan; /* settings for the time of the run */
	bool has_plan, plan_applied;
	bool left; /* something could not be put back */
	bool recovered;
	struct tm_error reason; /* of the first case that was not measured */
	int reported;		/* an exit code whose reason was told; EXIT_DONE: none */
	struct tm_sampler sampler;
	bool sampling;
	struct stat_events events;
	sigset_t signals, mask;
	bool measuring;	    /* what is wrong now is not how it was called */
	int signal;	    /* that ends the run; 0 */
	size_t steps, step; /* for the progress */
};

/* The `run` of every benchmark's command. */
int bench_run(struct app *app, const struct benchmark *benchmark);

/* ---- options.c */

/* "64M" with binary steps, at least `least`. -EINVAL with the option's name in the text. */
int bench_parse_size(const struct bench *b, const char *option, uint64_t usual, uint64_t quick,
		     uint64_t least, uint64_t *size, struct tm_error *err);
/* A plain number from `least` to `most`. */
int bench_parse_number(const struct bench *b, const char *option, uint64_t usual, uint64_t least,
		       uint64_t most, uint64_t *number, struct tm_error *err);
/* The option's value, or what it is without: an index of the list. */
unsigned bench_choose_word(const struct bench *b, const char *option, word_list words,
			   unsigned usual);
/* The words of --mapping and --page, with what they are. */
const char *bench_mapping_word(size_t i, const char **help);
const char *bench_page_word(size_t i, const char **help);
/* The size of one of the caches of a CPU, by its number in sysfs; 0: nothing says. */
uint64_t bench_cache_bytes(const struct bench *b, long cpu, int index);
/* Is there so much free memory on the node? 0; -ENOTSUP, with the figures and a hint. */
int bench_check_room(const struct bench *b, int node, uint64_t bytes, struct tm_error *err);
/* The CPUs of a node among those to run on, into *cpus (empty: it has none). 0 or -ENOMEM. */
int bench_node_cpus(const struct bench *b, int node, struct tm_idset *cpus);

/* ---- settings.c: one plan that is put back at the end, however that comes */

/* Adds a change to the plan. As tm_plan_add; -ENOTSUP where there is no such file. */
int bench_setting(struct bench *b, enum tm_change_kind kind, enum tm_form form, const char *path,
		  const char *to, struct tm_error *err);
/* The plan itself, for other ways of adding to it before it is applied; NULL: an error. */
struct tm_plan *bench_settings_plan(struct bench *b, struct tm_error *err);
/*
 * Applies the plan, as a lease: prepare and apply. Several may follow each other: the one before is
 * put back first. 0 or -errno.
 */
int bench_settings_apply(struct bench *b, struct tm_error *err);
/* What a change of the applied plan came to ("12" of a count), or NULL. */
const char *bench_setting_got(const struct bench *b, const char *path);
/* Puts back what is applied. 0 or -errno; harmless where nothing is. */
int bench_settings_restore(struct bench *b, struct tm_error *err);

/* ---- measure.c */

/* In memory that parent and child share: what the child tells. */
struct bench_slot {
	double values[BENCH_METRICS]; /* of this repeat, in the order of the kind's; begin as NaN */
	bool has_place;
	struct tm_bench_place place;
	double on_cpu;	/* as in tm_bench_outcome; 0: not told. Below 0.95 the case gets a note */
	char note[256]; /* "": none. For the case; told once */
	/* Anything more that the benchmark's own derive() wants. */
	uint64_t extra[16];
	/* Private. */
	int rc;
	struct tm_error error;
};

struct bench_work {
	void *context; /* as it was when the child was made; what it changes there is lost */
	/* In the child: maps and places memory, warms up, starts threads. 0 or -errno. */
	int (*prepare)(void *context, struct bench_slot *slot, struct tm_error *err);
	/* In the child, for each repeat. Sets slot->values. 0 or -errno. */
	int (*measure)(void *context, struct bench_slot *slot, struct tm_error *err);
	/*
	 * In the parent after each repeat, before the values are kept; `counters` holds the last
	 * repeat as its last run (no runs where counters are not taken). May be NULL.
	 */
	void (*derive)(void *context, struct bench_slot *slot, const struct stat_record *counters);
	unsigned repeat; /* 0: as --repeat has it */
	/* What was asked for, for the result; also how the place is judged. */
	const struct tm_idset *nodes; /* NULL: any */
	enum tm_bench_page page;
	uint64_t page_bytes;
};

/*
 * Measures a case, which is the last one of b->result, and adds values, place and notes to it. A
 * case that this machine cannot do (-ENOTSUP, -ENOSYS from prepare) gets its reason, and 0 is
 * returned. 0; -EINTR after a signal that ends; -ENOMEM where the child was killed for memory; else
 * what the child's functions returned.
 */
int bench_measure(struct bench *b, struct bench_case *c, const struct bench_work *work,
		  struct tm_error *err);

/*
 * Gives a case the error as the reason why it is not measured; where no other is either, the first
 * of these is what the run ends with. 0 or -ENOMEM.
 */
int bench_refuse(struct bench *b, struct bench_case *c, struct tm_error *err);

/* How many cases there will be, for the progress; before the first. */
void bench_expect(struct bench *b, size_t cases);

/* Was there a signal that ends? For long preparations between cases. 0 or -EINTR. */
int bench_check_signals(struct bench *b, struct tm_error *err);

/* ---- the benchmarks' commands */

extern const struct command bench_bandwidth_command, bench_latency_command, bench_lookup_command,
	bench_fault_command, bench_cow_command, bench_clear_command, bench_migrate_command,
	bench_report_command;
extern const struct bench_kind bench_bandwidth_kind, bench_latency_kind, bench_lookup_kind,
	bench_fault_kind, bench_cow_kind, bench_clear_kind, bench_migrate_kind;

#endif
