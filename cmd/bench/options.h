/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the parts that benchmarks share call of each other. */
#ifndef CMD_BENCH_OPTIONS_H
#define CMD_BENCH_OPTIONS_H

#include "cmd/bench/bench.h"

/* options.c: of a bench whose machine was read. 0; -EINVAL: usage; -ENOMEM. */
int bench_options_parse(struct bench *b, struct tm_error *err);

/*
 * conditions.c: what the figures depend on, into the result; again where it changed. 0 or -errno.
 */
int bench_conditions(struct bench *b, struct tm_error *err);

#endif
