/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In what two records differ besides their counts. Figures of unlike machines say nothing of each
 * other. Another kernel or command is what a comparison is made for; another boot or host of the
 * same kind is as good.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat-compare.h"
#include "lib/base/units.h"

/*
 * Kernels keep more or less of the same memory for themselves. A module more or less is a larger
 * step.
 */
#define MEMORY_TOLERANCE_PERCENT 2

#define UNKNOWN "unknown"

/* Takes both texts, which are allocated. */
static int add(struct stat_difference **list, size_t *nr, size_t *cap, const char *what,
	       char *before, char *after)
{
	struct stat_difference *difference;

	if (!before || !after || tm_array_grow(list, *nr, cap, sizeof(**list))) {
		free(before);
		free(after);
		return -ENOMEM;
	}
	difference = &(*list)[(*nr)++];
	*difference = (struct stat_difference){ .of = { before, after } };
	snprintf(difference->what, sizeof(difference->what), "%s", what);
	return 0;
}

static int differs(struct stat_pair *pair, const char *what, char *before, char *after)
{
	pair->comparable = false;
	return add(&pair->differences, &pair->nr_differences, &pair->cap_differences, what, before,
		   after);
}

static int note(struct stat_pair *pair, const char *what, char *before, char *after)
{
	return add(&pair->notes, &pair->nr_notes, &pair->cap_notes, what, before, after);
}

TM_PRINTF(1, 2) static char *text_of(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return len < 0 ? NULL : text;
}

static char *copy(const struct tm_text *text)
{
	return strdup(text->state == TM_KNOWN ? text->value : UNKNOWN);
}

/* What is unknown on one side may be the same: it is only noted. */
static int compare_text(struct stat_pair *pair, const char *what, const struct tm_text *before,
			const struct tm_text *after, bool matters)
{
	bool known = before->state == TM_KNOWN && after->state == TM_KNOWN;

	if (before->state != TM_KNOWN && after->state != TM_KNOWN)
		return 0;
	if (known && !strcmp(before->value, after->value))
		return 0;
	return (known && matters ? differs : note)(pair, what, copy(before), copy(after));
}

static char *bytes_of(const struct tm_num *num)
{
	char units[TM_UNITS_MAX];

	return strdup(tm_num_is(num) ? tm_format_bytes(units, num->value) : UNKNOWN);
}

static bool is_near(uint64_t a, uint64_t b)
{
	uint64_t large = TM_MAX(a, b), small = TM_MIN(a, b);

	return large - small <= large / 100 * MEMORY_TOLERANCE_PERCENT;
}

static int compare_memory(struct stat_pair *pair, const struct stat_node *before,
			  const struct stat_node *after)
{
	const struct tm_num *a = &before->memory_total, *b = &after->memory_total;
	bool known = tm_num_is(a) && tm_num_is(b);
	char what[32];

	if (known ? is_near(a->value, b->value) : tm_num_is(a) == tm_num_is(b))
		return 0;
	snprintf(what, sizeof(what), "memory of node %d", before->id);
	return (known ? differs : note)(pair, what, bytes_of(a), bytes_of(b));
}

static char *nodes_of(const struct stat_machine *machine)
{
	struct tm_idset set = TM_IDSET_INIT;
	char *list = NULL;
	int rc = 0;

	for (size_t i = 0; i < machine->nr_nodes && !rc; i++)
		rc = tm_idset_add(&set, machine->nodes[i].id);
	if (!rc)
		list = tm_idset_format(&set);
	tm_idset_release(&set);
	return list;
}

static int compare_nodes(struct stat_pair *pair, const struct stat_machine *a,
			 const struct stat_machine *b)
{
	char *before = nodes_of(a), *after = nodes_of(b);
	int rc = 0;

	if (!before || !after || strcmp(before, after) != 0)
		return differs(pair, "nodes with memory", before, after);
	free(before);
	free(after);
	for (size_t i = 0; i < a->nr_nodes && !rc; i++)
		for (size_t k = 0; k < b->nr_nodes && !rc; k++)
			if (a->nodes[i].id == b->nodes[k].id)
				rc = compare_memory(pair, &a->nodes[i], &b->nodes[k]);
	return rc;
}

static int compare_page_size(struct stat_pair *pair, const struct tm_num *a, const struct tm_num *b)
{
	if (!tm_num_is(a) || !tm_num_is(b) || a->value == b->value)
		return 0;
	return differs(pair, "page size", bytes_of(a), bytes_of(b));
}

static char *command_of(const struct stat_record *record)
{
	struct tm_buf text = TM_BUF_INIT;

	stat_add_command(&text, record, 200);
	if (text.len || text.failed)
		return tm_buf_detach(&text);
	tm_buf_release(&text);
	return strdup("none");
}

static int compare_commands(struct stat_pair *pair)
{
	char *before = command_of(&pair->record[BEFORE]);
	char *after = command_of(&pair->record[AFTER]);

	if (!before || !after || strcmp(before, after) != 0)
		return note(pair, "command", before, after);
	free(before);
	free(after);
	return 0;
}

static size_t count_failed(const struct stat_record *record)
{
	size_t nr = 0;

	for (size_t i = 0; i < record->nr_runs; i++)
		nr += record->runs[i].exit_code || record->runs[i].signal;
	return nr;
}

static int compare_runs(struct stat_pair *pair)
{
	const struct stat_record *a = &pair->record[BEFORE], *b = &pair->record[AFTER];
	size_t before = count_failed(a), after = count_failed(b);

	if (!before && !after)
		return 0;
	return note(pair, "runs that failed", text_of("%zu of %zu", before, a->nr_runs),
		    text_of("%zu of %zu", after, b->nr_runs));
}

static int compare_scopes(struct stat_pair *pair)
{
	const char *before = stat_scope_words[pair->record[BEFORE].scope];
	const char *after = stat_scope_words[pair->record[AFTER].scope];

	return strcmp(before, after) ? note(pair, "events of", strdup(before), strdup(after)) : 0;
}

int stat_differ(struct stat_pair *pair)
{
	const struct stat_record *a = &pair->record[BEFORE], *b = &pair->record[AFTER];
	int rc;

	pair->comparable = true;
	rc = compare_text(pair, "CPU", &a->machine.cpu_model, &b->machine.cpu_model, true);
	if (!rc)
		rc = compare_text(pair, "online CPUs", &a->machine.online_cpus,
				  &b->machine.online_cpus, true);
	if (!rc)
		rc = compare_page_size(pair, &a->machine.page_size, &b->machine.page_size);
	if (!rc)
		rc = compare_nodes(pair, &a->machine, &b->machine);
	if (!rc)
		rc = compare_text(pair, "kernel", &a->kernel, &b->kernel, false);
	if (!rc)
		rc = compare_text(pair, "blind TLB row", &a->machine.blind, &b->machine.blind,
				  false);
	if (!rc)
		rc = compare_commands(pair);
	if (!rc)
		rc = compare_scopes(pair);
	return rc ? rc : compare_runs(pair);
}
