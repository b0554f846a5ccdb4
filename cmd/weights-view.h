/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of `tiermem weights` share: figures in, vectors and predictions out. */
#ifndef CMD_WEIGHTS_VIEW_H
#define CMD_WEIGHTS_VIEW_H

#include "cmd/command.h"
#include "lib/model/machine.h"
#include "lib/plan/plan.h"
#include "lib/tune/best.h"

struct weight_node {
	const struct tm_node *node;
	struct tm_num read, write; /* MB/s */
	struct tm_num bandwidth;   /* MB/s for the mix: what `best` works with */
	struct tm_num latency;	   /* ns, read */
	const char *source;	   /* NULL: none */
	bool complete;
	unsigned assumed;     /* weight by --assume-unknown; 0: none */
	unsigned kernel;      /* 0: unknown */
	unsigned recommended; /* 0: unknown */
	double share;	      /* of the pages, 0 to 1, by the recommended weights */
};

/* MB/s and ns; below 0: unknown. */
struct prediction {
	double bandwidth, latency;
};

enum predicted { LOCAL, UNIFORM, CURRENT, KERNEL, RECOMMENDED, NR_PREDICTED };
extern const char *const predicted_names[NR_PREDICTED];

struct weights {
	struct tm_root root;
	struct tm_machine machine;
	struct weight_node *nodes; /* those with memory that were asked for */
	size_t nr;
	struct weight_node *all; /* all with memory: what the kernel's rule is about */
	size_t nr_all;
	struct tm_idset unknown; /* nodes without bandwidth and without an assumed weight */
	bool within;		 /* the recommended weights are within the tolerance */
	bool nearest;		 /* and if not, then no others are nearer */
	struct tm_idset stale;	 /* nodes whose automatic weight is not what the rule gives now */
	double ideal;		 /* MB/s; below 0: unknown */
	struct prediction predicted[NR_PREDICTED];
	struct tm_idset harmful; /* nodes that pull the prediction below local only */
};

/*
 * Reads options, the machine and the figures, and computes. Returns an exit code; reports errors.
 */
int weights_init(struct app *app, struct weights *w);
void weights_release(struct weights *w);

/* weights-input.c */
enum weight_algorithm { ALGORITHM_BEST, ALGORITHM_KERNEL };
struct weight_request {
	enum weight_algorithm algorithm;
	unsigned reads, writes; /* 0:0: no mix: the smaller of the two counts */
	unsigned max_weight;
	unsigned tolerance_ppm;
	unsigned assume_unknown;
};
int weights_parse(struct app *app, struct weight_request *request, struct tm_error *err);
/*
 * Fills nodes[] with figures from the source that the options name. 0; -EINVAL (usage) or another.
 */
int weights_read(struct app *app, struct weights *w, const struct weight_request *request,
		 struct tm_error *err);

/*
 * Adds the ids of a list in the kernel's form. 0; -EINVAL where it is empty, malformed, or has one
 * id twice; -ENOMEM.
 */
int weights_parse_list(const char *text, struct tm_idset *set);

/* The node of that id, or NULL. */
struct weight_node *weights_find(struct weight_node *nodes, size_t nr, long id);

/*
 * weights-measured.c: figures of all nodes from a saved measurement. What is wrong in it is no
 * fault of the command line: -EBADMSG.
 */
int weights_read_measured(struct weights *w, const char *name, struct tm_error *err);

/*
 * weights-compute.c: reads the figures and computes, of a machine that was read; what weights_init
 * does last. 0; -EINVAL (usage), -ENODEV (no node with memory) or another.
 */
int weights_reckon(struct app *app, struct weights *w, const struct weight_request *request,
		   struct tm_error *err);
/*
 * By the kernel's rule, from what the kernel knows now, the weight of each node
 * with memory, in the order of ids; the caller frees. NULL: it knows no bandwidths, or no memory
 * was left (then *failed).
 */
unsigned *weights_kernel_now(const struct tm_machine *m, bool *failed);
/* How far the recommended weights stay below the ideal, 0 to 1; below 0: unknown. */
double weights_shortfall(const struct weights *w);

/* weights-show.c */
int weights_show(struct app *app, const struct weights *w);

/* weights-apply.c */
int weights_plan_set(const struct weights *w, struct tm_plan *plan, struct tm_error *err);
int weights_plan_auto(const struct weights *w, struct tm_plan *plan, struct tm_error *err);
int weights_plan_reset(const struct weights *w, struct tm_plan *plan, struct tm_error *err);
/*
 * weights.c: the errors for nodes of unknown bandwidth (-ENODATA), and for harmful ones (-EPERM).
 */
int weights_unknown(const struct weights *w, struct tm_error *err);
int weights_harmful(const struct weights *w, struct tm_error *err);
/* The error for a kernel without weighted interleave. Returns -ENOTSUP. */
int weights_lacking(const struct tm_machine *m, struct tm_error *err);

#endif
