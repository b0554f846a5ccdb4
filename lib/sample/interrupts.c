/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/interrupts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

/* No kernel is built for more (CONFIG_NR_CPUS). */
#define MAX_CPUS 65536
/* A row longer than this is not the kernel's. */
#define MAX_LINE ((size_t)4 << 20)

static const struct {
	const char *name, *text;
} known[] = {
	[TM_IRQ_TLB] = { "TLB", "TLB shootdowns" },
	[TM_IRQ_CAL] = { "CAL", "Function call interrupts" },
	[TM_IRQ_RES] = { "RES", "Rescheduling interrupts" },
};

const char *tm_irq_name(enum tm_irq irq)
{
	return known[irq].name;
}

void tm_interrupts_release(struct tm_interrupts *interrupts)
{
	free(interrupts->cpus);
	for (size_t i = 0; i < TM_IRQS; i++)
		free(interrupts->rows[i].counts);
	*interrupts = (struct tm_interrupts){ 0 };
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
		s++;
	return s;
}

/* Digits at s, which stay below `end`; NULL where there are none, or too many. */
static const char *take_number(const char *s, const char *end, uint64_t *number)
{
	const char *start = s;
	uint64_t value = 0;

	for (; s < end && isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return NULL;
	if (s == start)
		return NULL;
	*number = value;
	return s;
}

/* "CPU0 CPU2 …". False where it is no header. */
static int take_header(struct tm_interrupts *in, const char *s, const char *end)
{
	uint64_t id;

	in->nr_cpus = 0;
	for (s = skip_blanks(s, end); s < end; s = skip_blanks(s, end)) {
		if (end - s < 4 || memcmp(s, "CPU", 3))
			return -EINVAL;
		s = take_number(s + 3, end, &id);
		if (!s || id >= MAX_CPUS || (in->nr_cpus && (int)id <= in->cpus[in->nr_cpus - 1]))
			return -EINVAL;
		if (tm_array_grow(&in->cpus, in->nr_cpus, &in->cap_cpus, sizeof(*in->cpus)))
			return -ENOMEM;
		in->cpus[in->nr_cpus++] = (int)id;
	}
	return in->nr_cpus ? 0 : -EINVAL;
}

int tm_interrupts_reserve(struct tm_interrupts *in)
{
	if (in->cap_counts >= in->nr_cpus)
		return 0;
	for (size_t i = 0; i < TM_IRQS; i++) {
		uint64_t *counts = reallocarray(in->rows[i].counts, in->nr_cpus, sizeof(*counts));

		if (!counts)
			return -ENOMEM;
		in->rows[i].counts = counts;
	}
	in->cap_counts = in->nr_cpus;
	return 0;
}

/* The counts after the label: as many as there are, at most one for each CPU. */
static const char *take_counts(struct tm_interrupts *in, struct tm_irq_row *row, const char *s,
			       const char *end)
{
	row->nr = 0;
	row->state = TM_KNOWN;
	for (s = skip_blanks(s, end); row->nr < in->nr_cpus && s < end; s = skip_blanks(s, end)) {
		const char *after = take_number(s, end, &row->counts[row->nr]);

		/* The words of the row begin here, or a number that is none. */
		if (!after || (after < end && !isspace((unsigned char)*after))) {
			if (isdigit((unsigned char)*s))
				row->state = TM_MALFORMED;
			break;
		}
		row->nr++;
		s = after;
	}
	if (!row->nr)
		row->state = TM_MALFORMED;
	return s;
}

/*
 * Which row is it? Its label says so, or on arm and riscv the words at its end. -1: none of ours.
 */
static int which(const char *label, size_t len, const char *line, const char *end)
{
	for (int i = 0; i < TM_IRQS; i++)
		if (len == 3 && !memcmp(label, known[i].name, 3))
			return i;
	if (len < 4 || memcmp(label, "IPI", 3))
		return -1;
	for (int i = 0; i < TM_IRQS; i++) {
		size_t text = strlen(known[i].text);

		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		if ((size_t)(end - line) > text && !memcmp(end - text, known[i].text, text))
			return i;
	}
	return -1;
}

/* Could the line, of which this much is there, be one of ours? */
static bool is_candidate(const char *line, size_t len)
{
	size_t blanks = 0;

	while (blanks < len && line[blanks] == ' ')
		blanks++;
	if (len - blanks < 3)
		return true;
	line += blanks;
	for (int i = 0; i < TM_IRQS; i++)
		if (!memcmp(line, known[i].name, 3))
			return true;
	return !memcmp(line, "IPI", 3);
}

static void take_row(struct tm_interrupts *in, const char *line, const char *end)
{
	const char *label = skip_blanks(line, end);
	const char *colon = memchr(label, ':', (size_t)(end - label));
	int irq = colon ? which(label, (size_t)(colon - label), line, end) : -1;

	/* The first of its name counts. */
	if (irq >= 0 && in->rows[irq].state == TM_UNSUPPORTED)
		take_counts(in, &in->rows[irq], colon + 1, end);
}

static void no_rows(struct tm_interrupts *in, enum tm_state state)
{
	in->state = state;
	for (size_t i = 0; i < TM_IRQS; i++) {
		in->rows[i].nr = 0;
		in->rows[i].state = state == TM_KNOWN ? TM_UNSUPPORTED : state;
	}
}

struct lines {
	struct tm_file *file;
	off_t offset;
	size_t at; /* of the next line in the buffer */
	bool ended;
};

/*
 * The next line that may be wanted, or the file's first; NULL at the end, or where the file cannot
 * be read further (*rc).
 */
static const char *next_line(struct lines *l, bool first, const char **end, int *rc)
{
	bool skipping = false;

	for (;;) {
		size_t left = l->file->len - l->at;
		const char *line = left ? l->file->data + l->at : "";
		const char *stop = left ? memchr(line, '\n', left) : NULL;
		size_t keep = left;
		ssize_t n;

		if (stop || (l->ended && left)) {
			*end = stop ? stop : line + left;
			l->at = (size_t)(*end - l->file->data) + (stop != NULL);
			if (!skipping && (first || is_candidate(line, (size_t)(*end - line))))
				return line;
			skipping = false;
			continue;
		}
		if (l->ended)
			return NULL;
		/* What need not be parsed need not be kept. */
		if (skipping || (!first && !is_candidate(line, left))) {
			skipping = true;
			keep = 0;
		}
		n = keep > MAX_LINE ? -EFBIG : tm_file_next(l->file, keep, l->offset);
		if (n < 0) {
			*rc = (int)n;
			return NULL;
		}
		l->at = 0;
		l->offset += n;
		l->ended = n == 0;
	}
}

int tm_interrupts_read(struct tm_interrupts *in, struct tm_file *file)
{
	struct lines lines = { .file = file };
	const char *line, *end;
	int rc = 0;

	no_rows(in, TM_UNKNOWN);
	file->len = 0;
	line = next_line(&lines, true, &end, &rc);
	if (line) {
		rc = take_header(in, line, end);
		if (!rc)
			rc = tm_interrupts_reserve(in);
	} else if (!rc) {
		rc = -EINVAL; /* empty */
	}
	if (!rc) {
		no_rows(in, TM_KNOWN);
		while ((line = next_line(&lines, false, &end, &rc)))
			take_row(in, line, end);
	}
	if (rc) {
		in->nr_cpus = 0;
		no_rows(in,
			rc == -EINVAL || rc == -EFBIG ? TM_MALFORMED : tm_state_from_errno(-rc));
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare_ids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

struct tm_num tm_interrupts_count(const struct tm_interrupts *in, enum tm_irq irq, int cpu)
{
	const struct tm_irq_row *row = &in->rows[irq];
	const int *found =
		in->nr_cpus ? bsearch(&cpu, in->cpus, in->nr_cpus, sizeof(*in->cpus), compare_ids) :
			      NULL;

	if (row->state != TM_KNOWN)
		return tm_num_none(row->state);
	if (!found)
		return tm_num_none(TM_OFFLINE);
	if ((size_t)(found - in->cpus) >= row->nr)
		return tm_num_none(TM_MALFORMED);
	return tm_num_known(row->counts[found - in->cpus]);
}

struct tm_num tm_interrupts_total(const struct tm_interrupts *in, enum tm_irq irq)
{
	const struct tm_irq_row *row = &in->rows[irq];
	uint64_t total = 0;

	if (row->state != TM_KNOWN)
		return tm_num_none(row->state);
	if (row->nr < in->nr_cpus)
		return tm_num_none(TM_MALFORMED);
	for (size_t i = 0; i < row->nr; i++)
		total += row->counts[i];
	return tm_num_known(total);
}
