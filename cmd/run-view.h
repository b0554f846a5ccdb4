/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `tiermem run` share. */
#ifndef CMD_RUN_VIEW_H
#define CMD_RUN_VIEW_H

#include "cmd/child.h"
#include "cmd/command.h"
#include "cmd/weights-view.h"
#include "lib/sys/numa.h"

struct run {
	struct app *app;
	enum tm_policy policy;
	bool fallen_back;  /* the kernel lacks what was asked for, and --fallback was given */
	uint64_t large;	   /* bytes: only mappings of this size and above; 0: everything */
	unsigned *weights; /* --weights, in the order of the nodes; NULL: those that are set */
	size_t nr_weights;
	struct weights w;     /* the root, the machine, and the nodes of the set */
	struct tm_idset cpus; /* that the command may run on */
	struct tm_idset mems; /* nodes from which it may have memory: cpuset.mems */
	struct tm_idset nodes;
	bool chosen;   /* by options; else the set is the local one */
	char *program; /* what will be executed */
	char *library; /* what will be preloaded; NULL: nothing */
	struct tm_numa numa;
};

/* run-options.c: into `run`. 0, -EINVAL (usage) or -ENOMEM. */
int run_parse(struct run *run, struct tm_error *err);
bool run_parse_size(const char *text, uint64_t *bytes);

/* run-nodes.c: a list of /proc/PID/status, by a key such as "\nMems_allowed_list:". */
int run_take_list(const char *status, const char *key, struct tm_idset *set);
/* Reads `cpus` and `mems`. */
int run_read_status(struct run *run, struct tm_error *err);
/* Chooses `nodes` and fills run->w. -EINVAL: usage; -ENODEV: the cpuset leaves nothing; -ENOMEM. */
int run_choose_nodes(struct run *run, struct tm_error *err);

/* run-exec.c: finds the command in PATH. An exit code. */
int run_find_program(struct run *run, struct tm_error *err);
/* Becomes the command. Returns only if that fails: an exit code, reported. */
int run_become(struct run *run);

/* run-large.c: what --large needs before the command starts: 0 or a negative errno. */
int run_check_program(const char *name, struct tm_error *err);
int run_find_library(char **path, struct tm_error *err);
int run_set_environment(const struct run *run, struct tm_error *err);

/* run-weights.c: are the weights other than those that are set? */
bool run_changes_weights(const struct run *run);
/* Would setting them work? 0 or a negative errno; -EOPNOTSUPP where the kernel has none. */
int run_check_weights(struct run *run, struct tm_error *err);
/* Sets them, runs the command, and puts them back. An exit code. */
int run_with_weights(struct run *run);

/* run-plan.c: what will be done, as text or as a document. */
char *run_describe(const struct run *run);
int run_preview(struct run *run);

/* run-show.c */
int run_show(struct app *app, const char *pid);

#endif
