/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks behind tm_problems_find, one function per question. Internal to lib/model. */
#ifndef TM_MODEL_CHECK_H
#define TM_MODEL_CHECK_H

#include "lib/model/problem.h"

struct tm_checker {
	const struct tm_machine *machine;
	struct tm_problems *problems;
	const char *code; /* of the check that runs */
	enum tm_severity severity;
};

/* Adds a problem and returns it, so that nodes and a hint can follow; NULL when out of memory. */
struct tm_problem *tm_check_add(struct tm_checker *ck, const char *fmt, ...) TM_PRINTF(2, 3);
void tm_check_node(struct tm_checker *ck, struct tm_problem *problem, long node);
/* Adds to a set that a problem will be about; out of memory is noted in the checker. */
void tm_check_collect(struct tm_checker *ck, struct tm_idset *set, long id);
void tm_check_hint(struct tm_problem *problem, const char *fmt, ...) TM_PRINTF(2, 3);

/*
 * A problem about all nodes of a set, unless the set is empty: "%s" in `fmt` is "node 3" or "nodes
 * 2-3".
 */
struct tm_problem *tm_check_add_nodes(struct tm_checker *ck, struct tm_idset *nodes,
				      const char *fmt, const char *hint);

/* check-node.c */
void tm_check_no_nodes(struct tm_checker *ck);
void tm_check_unreadable(struct tm_checker *ck);
void tm_check_malformed(struct tm_checker *ck);
void tm_check_fake_numa(struct tm_checker *ck);
void tm_check_distance_malformed(struct tm_checker *ck);
void tm_check_distance_asymmetric(struct tm_checker *ck);
void tm_check_distance_unreachable(struct tm_checker *ck);
void tm_check_partly_online(struct tm_checker *ck);

/* check-perf.c */
void tm_check_no_performance(struct tm_checker *ck);
void tm_check_not_provided(struct tm_checker *ck);
void tm_check_implausible(struct tm_checker *ck);
void tm_check_far_faster(struct tm_checker *ck);
void tm_check_generic_initiator(struct tm_checker *ck);
void tm_check_no_tier(struct tm_checker *ck);
void tm_check_dram_tier(struct tm_checker *ck);
void tm_check_stale_weights(struct tm_checker *ck);
void tm_check_weight_file(struct tm_checker *ck);

/* check-cxl.c */
void tm_check_memory_offline(struct tm_checker *ck);
void tm_check_zone_normal(struct tm_checker *ck);
void tm_check_decoder(struct tm_checker *ck);
void tm_check_link(struct tm_checker *ck);
void tm_check_qos_class(struct tm_checker *ck);
void tm_check_window(struct tm_checker *ck);

/* check-firmware.c */
void tm_check_firmware_fault(struct tm_checker *ck);
void tm_check_hmat_missing(struct tm_checker *ck);
void tm_check_hmat_refused(struct tm_checker *ck);
void tm_check_hmat_entries(struct tm_checker *ck);
void tm_check_hmat_disagrees(struct tm_checker *ck);
void tm_check_domains(struct tm_checker *ck);
void tm_check_incomplete(struct tm_checker *ck);

#endif
