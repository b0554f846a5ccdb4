/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `tiermem top` knows of the machine besides its counters: what changes seldom. It is read at
 * the start and looked at again every ten seconds; the lines of a recording have it where it is
 * new, so that a replay shows the machine that was recorded.
 */
#ifndef CMD_TOP_FACTS_H
#define CMD_TOP_FACTS_H

#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "lib/model/machine.h"
#include "lib/out/document.h"

struct top_node {
	int id;
	struct tm_num tier;
	struct tm_num weight;
};

struct top_facts {
	struct tm_text kernel, host, boot_id;
	char *root;
	struct tm_num page_size; /* bytes */
	struct tm_num uptime_s;	 /* when CLOCK_MONOTONIC was time_ns */
	uint64_t time_ns;
	struct tm_num blind; /* enum tm_blind */
	/* "yes", or "no: " and why; NULL where nothing could be found out. */
	char *promotion, *demotion;
	struct top_node *nodes; /* by rising id */
	size_t nr_nodes, cap_nodes;
};

int top_facts_read(struct top_facts *facts, const struct tm_root *root, struct tm_error *err);
/* Reads them again. 1 where they are others than before, 0, or -errno and they are as they were. */
int top_facts_refresh(struct top_facts *facts, const struct tm_root *root, struct tm_error *err);
void top_facts_release(struct top_facts *facts);

/* Borrowed from the facts. */
struct tm_identity top_facts_identity(const struct top_facts *facts);

/* NULL where there was no such node. */
const struct top_node *top_facts_node(const struct top_facts *facts, int id);

/* Seconds since boot at a time of CLOCK_MONOTONIC. */
struct tm_num top_facts_uptime(const struct top_facts *facts, uint64_t time_ns);

/*
 * Adds a member "machine" to the document of a sample of that time, and reads it and the head
 * back.
 */
void top_facts_write(struct tm_json *json, const struct top_facts *facts, uint64_t time_ns);
int top_facts_parse(struct top_facts *facts, const struct tm_jvalue *document,
		    struct tm_error *err);

#endif
