/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/check.h"

static const struct check {
	const char *code;
	enum tm_severity severity;
	void (*run)(struct tm_checker *ck);
} checks[] = {
	{ "no-nodes", TM_WARNING, tm_check_no_nodes },
	{ "unreadable", TM_NOTE, tm_check_unreadable },
	{ "malformed", TM_WARNING, tm_check_malformed },
	{ "fake-numa", TM_WARNING, tm_check_fake_numa },
	{ "distance-malformed", TM_WARNING, tm_check_distance_malformed },
	{ "distance-asymmetric", TM_NOTE, tm_check_distance_asymmetric },
	{ "distance-unreachable", TM_NOTE, tm_check_distance_unreachable },
	{ "no-performance", TM_WARNING, tm_check_no_performance },
	{ "not-provided", TM_NOTE, tm_check_not_provided },
	{ "incomplete-performance", TM_NOTE, tm_check_incomplete },
	{ "firmware-fault", TM_WARNING, tm_check_firmware_fault },
	{ "hmat-missing", TM_NOTE, tm_check_hmat_missing },
	{ "hmat-refused", TM_WARNING, tm_check_hmat_refused },
	{ "hmat-entries", TM_NOTE, tm_check_hmat_entries },
	{ "hmat-disagrees", TM_WARNING, tm_check_hmat_disagrees },
	{ "domains-doubtful", TM_WARNING, tm_check_domains },
	{ "implausible-performance", TM_WARNING, tm_check_implausible },
	{ "far-faster-than-near", TM_WARNING, tm_check_far_faster },
	{ "generic-initiator-best", TM_NOTE, tm_check_generic_initiator },
	{ "node-without-tier", TM_WARNING, tm_check_no_tier },
	{ "cxl-in-dram-tier", TM_WARNING, tm_check_dram_tier },
	{ "memory-offline", TM_WARNING, tm_check_memory_offline },
	{ "memory-partly-online", TM_WARNING, tm_check_partly_online },
	{ "cxl-zone-normal", TM_WARNING, tm_check_zone_normal },
	{ "decoder-without-region", TM_WARNING, tm_check_decoder },
	{ "link-degraded", TM_WARNING, tm_check_link },
	{ "qos-class-mismatch", TM_WARNING, tm_check_qos_class },
	{ "window-unpopulated", TM_NOTE, tm_check_window },
	{ "stale-weights", TM_WARNING, tm_check_stale_weights },
	{ "weight-file-missing", TM_WARNING, tm_check_weight_file },
};

const char *tm_severity_name(enum tm_severity severity)
{
	static const char *const name[] = {
		[TM_NOTE] = "note",
		[TM_WARNING] = "warning",
		[TM_ERROR] = "error",
	};

	return name[severity];
}

const char *tm_problem_code(size_t i)
{
	return i < TM_ARRAY_SIZE(checks) ? checks[i].code : NULL;
}

struct tm_problem *tm_check_add(struct tm_checker *ck, const char *fmt, ...)
{
	struct tm_problems *all = ck->problems;
	struct tm_problem *problem;
	va_list ap;

	if (tm_array_grow(&all->list, all->nr, &all->cap, sizeof(*all->list))) {
		all->failed = true;
		return NULL;
	}
	problem = &all->list[all->nr++];
	*problem = (struct tm_problem){ .code = ck->code, .severity = ck->severity };
	va_start(ap, fmt);
	vsnprintf(problem->message, sizeof(problem->message), fmt, ap);
	va_end(ap);
	return problem;
}

void tm_check_node(struct tm_checker *ck, struct tm_problem *problem, long node)
{
	if (problem && tm_idset_add(&problem->nodes, node))
		ck->problems->failed = true;
}

void tm_check_collect(struct tm_checker *ck, struct tm_idset *set, long id)
{
	if (tm_idset_add(set, id))
		ck->problems->failed = true;
}

void tm_check_hint(struct tm_problem *problem, const char *fmt, ...)
{
	va_list ap;

	if (!problem)
		return;
	va_start(ap, fmt);
	vsnprintf(problem->hint, sizeof(problem->hint), fmt, ap);
	va_end(ap);
}

/* A long list ends after one of its commas; the problem's own set has all of it. */
static void shorten(char *list, size_t longest)
{
	size_t end = longest;

	if (strlen(list) <= longest)
		return;
	while (end && list[end - 1] != ',')
		end--;
	strcpy(list + end, "...");
}

struct tm_problem *tm_check_add_nodes(struct tm_checker *ck, struct tm_idset *nodes,
				      const char *fmt, const char *hint)
{
	struct tm_problem *problem = NULL;
	char *list = tm_idset_format(nodes);
	char which[96], message[256];

	if (list)
		shorten(list, 60);

	if (!list) {
		ck->problems->failed = true;
	} else if (*list) {
		snprintf(which, sizeof(which), "node%s %.80s", tm_idset_count(nodes) > 1 ? "s" : "",
			 list);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(message, sizeof(message), fmt, which);
#pragma GCC diagnostic pop
		problem = tm_check_add(ck, "%s", message);
		if (problem) {
			problem->nodes = *nodes;
			*nodes = (struct tm_idset)TM_IDSET_INIT;
			tm_check_hint(problem, "%s", hint);
		}
	}
	free(list);
	tm_idset_release(nodes);
	return problem;
}

int tm_problems_find(const struct tm_machine *machine, struct tm_problems *problems,
		     struct tm_error *err)
{
	struct tm_problems found = { 0 };
	struct tm_checker ck = { .machine = machine, .problems = &found };

	for (size_t i = 0; i < TM_ARRAY_SIZE(checks); i++) {
		ck.code = checks[i].code;
		ck.severity = checks[i].severity;
		checks[i].run(&ck);
	}
	if (found.failed) {
		tm_problems_release(&found);
		return tm_error_nomem(err);
	}
	*problems = found;
	return 0;
}

void tm_problems_release(struct tm_problems *problems)
{
	for (size_t i = 0; i < problems->nr; i++)
		tm_idset_release(&problems->list[i].nodes);
	free(problems->list);
	*problems = (struct tm_problems){ 0 };
}
