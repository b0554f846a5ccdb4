/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong or odd with a machine's memory: a list of checks over the model. */
#ifndef TM_MODEL_PROBLEM_H
#define TM_MODEL_PROBLEM_H

#include "lib/model/machine.h"

enum tm_severity {
	TM_NOTE,    /* worth knowing; nothing needs doing */
	TM_WARNING, /* costs performance, or will mislead tools */
	TM_ERROR,   /* cannot work as it is */
};
const char *tm_severity_name(enum tm_severity severity);

struct tm_problem {
	const char *code; /* from the list in tiermem-json(5) */
	enum tm_severity severity;
	struct tm_idset nodes; /* those concerned */
	char message[256];
	char hint[192]; /* "" when there is none */
};

struct tm_problems {
	struct tm_problem *list;
	size_t nr, cap;
	bool failed; /* out of memory while adding */
};

/* 0 or -ENOMEM. The problems are in the order of the checks, which is fixed. */
int tm_problems_find(const struct tm_machine *machine, struct tm_problems *problems,
		     struct tm_error *err);
void tm_problems_release(struct tm_problems *problems);

/* The codes there can be, with their severity: the i-th, or NULL. For the documentation's check. */
const char *tm_problem_code(size_t i);

#endif
