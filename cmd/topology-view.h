/* SPDX-License-Identifier: GPL-2.0-only */
/* What the outputs of `tiermem topology` share: the machine, its problems, and one row per node. */
#ifndef CMD_TOPOLOGY_VIEW_H
#define CMD_TOPOLOGY_VIEW_H

#include "cmd/command.h"
#include "lib/model/machine.h"
#include "lib/model/problem.h"
#include "lib/out/field.h"
#include "lib/out/table.h"

/* A node with what the table shows of it in words. */
struct node_row {
	const struct tm_machine *machine;
	const struct tm_node *node;
	const struct tm_perf *best;			     /* NULL: no figures */
	struct tm_idset initiators;			     /* those of the best row's class */
	char *zones, *distances, *caches, *blocks, *devices; /* NULL: nothing to say */
};

struct topology {
	struct tm_machine machine;
	struct tm_problems problems;
	struct node_row *rows; /* one per node, by id */
};

int topology_init(struct topology *t, const struct tm_root *root,
		  const struct tm_machine_options *options, struct tm_error *err);
void topology_release(struct topology *t);

extern const struct tm_field node_fields[];
extern const size_t nr_node_fields;

/* Each returns the finished text in *text, which the caller frees; 0 or -errno. */
int topology_json(const struct topology *t, char **text, struct tm_error *err);
int topology_table(const struct topology *t, const char *columns,
		   const struct tm_table_style *style, char **text, struct tm_error *err);
int topology_tree(const struct topology *t, const struct tm_table_style *style, char **text,
		  struct tm_error *err);
int topology_matrix(const struct topology *t, const struct tm_table_style *style, char **text,
		    struct tm_error *err);
/*
 * Sentences, broken at `width` (0: not): the problems with their hints, "" when there are none; and
 * what each node's kind was concluded from.
 */
int topology_problems(const struct topology *t, size_t width, char **text, struct tm_error *err);
int topology_reasons(const struct topology *t, size_t width, char **text, struct tm_error *err);

#endif
