/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line of numa_maps (fs/proc/task_mmu.c) is an address, a policy, and words:
 *
 *	7f1200000000 weighted interleave:0-1 anon=512 dirty=512 N0=427 N1=85 kernelpagesize_kB=4
 *
 * The policy is a mode, flags after "=", and nodes after ":". Two modes have a blank in their name.
 */
#include "lib/sys/numa-maps.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/compiler.h"
#include "lib/sys/numa.h"

struct words {
	const char *at, *end;
};

static bool next_word(struct words *w, const char **word, size_t *len)
{
	while (w->at < w->end && *w->at == ' ')
		w->at++;
	*word = w->at;
	while (w->at < w->end && *w->at != ' ')
		w->at++;
	*len = (size_t)(w->at - *word);
	return *len > 0;
}

static bool starts(const char *text, const char *end, const char *with)
{
	size_t len = strlen(with);

	return (size_t)(end - text) >= len && !memcmp(text, with, len);
}

static bool copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* mm/mempolicy.c: policy_modes[], where it is not the same as our name. */
static const struct {
	const char *text;
	enum tm_policy policy;
} spellings[] = {
	{ "weighted interleave", TM_POLICY_WEIGHTED_INTERLEAVE },
	{ "prefer (many)", TM_POLICY_PREFERRED_MANY },
	{ "prefer", TM_POLICY_PREFERRED },
};

/* Mode, flags and nodes into *p, and w->at behind them. 0, -EINVAL, -ENOMEM. */
static int take_policy(struct words *w, struct tm_placement *p)
{
	const char *mode = w->at, *name = NULL, *word;
	size_t len;
	int rc = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(spellings) && !name; i++) {
		if (!starts(mode, w->end, spellings[i].text))
			continue;
		name = tm_policy_name(spellings[i].policy);
		w->at = mode + strlen(spellings[i].text);
	}
	if (!name) {
		while (w->at < w->end && !strchr(" :=", *w->at))
			w->at++;
		if (w->at == mode ||
		    !copy(p->policy, sizeof(p->policy), mode, (size_t)(w->at - mode)))
			return -EINVAL;
	} else if (!copy(p->policy, sizeof(p->policy), name, strlen(name))) {
		return -EINVAL;
	}
	if (!next_word(w, &word, &len))
		return 0;
	/* What follows a blank is no part of it. */
	if (word[-1] == ' ') {
		w->at = word;
		return 0;
	}
	if (*word == '=') {
		const char *stop = memchr(word, ':', len);
		size_t flags = stop ? (size_t)(stop - word) : len;

		if (!copy(p->flags, sizeof(p->flags), word + 1, flags - 1))
			return -EINVAL;
		word += flags;
		len -= flags;
	}
	if (len && *word == ':') {
		char *list = strndup(word + 1, len - 1);

		rc = list ? tm_idset_parse_list(&p->nodes, list) : -ENOMEM;
		free(list);
	} else if (len) {
		rc = -EINVAL;
	}
	return rc == -ENOMEM ? rc : rc ? -EINVAL : 0;
}

static bool number(const char *text, size_t len, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]) || __builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'), value))
			return false;
	return len > 0;
}

static int add_pages(struct tm_placement *p, int node, uint64_t pages)
{
	size_t at = 0;

	while (at < p->nr && p->resident[at].node < node)
		at++;
	if (at == p->nr || p->resident[at].node != node) {
		if (tm_array_grow(&p->resident, p->nr, &p->cap, sizeof(*p->resident)))
			return -ENOMEM;
		memmove(&p->resident[at + 1], &p->resident[at],
			(p->nr - at) * sizeof(*p->resident));
		p->resident[at] = (struct tm_resident){ .node = node };
		p->nr++;
	}
	return __builtin_add_overflow(p->resident[at].bytes, pages, &p->resident[at].bytes) ?
		       -EINVAL :
		       0;
}

/* "N3=17"; false for another word. */
static bool node_pages(const char *word, size_t len, int *node, uint64_t *pages)
{
	const char *equals = memchr(word, '=', len);
	uint64_t id;

	if (*word != 'N' || !equals || !number(word + 1, (size_t)(equals - word - 1), &id) ||
	    id > TM_ID_MAX || !number(equals + 1, len - (size_t)(equals + 1 - word), pages))
		return false;
	*node = (int)id;
	return true;
}

/* One line into *p, which is empty. 0; -EINVAL: not of the form; -ENOMEM. */
static int parse_line(const char *line, size_t len, struct tm_placement *p, bool *stack,
		      uint64_t *page_bytes)
{
	static const char size_key[] = "kernelpagesize_kB=";
	struct words w = { line, line + len };
	uint64_t kilobytes = 0, pages;
	const char *word;
	size_t n;
	int node, rc;

	if (!next_word(&w, &word, &n) || w.at == w.end)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)word[i]))
			return -EINVAL;
	w.at++;
	rc = take_policy(&w, p);
	while (!rc && next_word(&w, &word, &n)) {
		if (n == 5 && !memcmp(word, "stack", n))
			*stack = true;
		else if (starts(word, word + n, size_key) &&
			 !number(word + strlen(size_key), n - strlen(size_key), &kilobytes))
			rc = -EINVAL;
		else if (node_pages(word, n, &node, &pages))
			rc = add_pages(p, node, pages);
	}
	/* So far they were pages. */
	for (size_t i = 0; i < p->nr && !rc; i++)
		if (!kilobytes || kilobytes > UINT64_MAX / 1024 ||
		    __builtin_mul_overflow(p->resident[i].bytes, kilobytes * 1024,
					   &p->resident[i].bytes))
			rc = -EINVAL;
	p->mappings = 1;
	*page_bytes = rc ? 0 : kilobytes * 1024;
	return rc;
}

static void release_placement(struct tm_placement *p)
{
	tm_idset_release(&p->nodes);
	free(p->resident);
	*p = (struct tm_placement){ 0 };
}

void tm_numa_maps_release(struct tm_numa_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		release_placement(&maps->list[i]);
	free(maps->list);
	*maps = (struct tm_numa_maps){ 0 };
}

/* Adds a line's placement to that of the same policy; takes what it owns. Its index, or -errno. */
static long merge(struct tm_numa_maps *maps, struct tm_placement *p)
{
	size_t i = 0;
	int rc = 0;

	while (i < maps->nr &&
	       (strcmp(maps->list[i].policy, p->policy) || strcmp(maps->list[i].flags, p->flags) ||
		!tm_idset_equal(&maps->list[i].nodes, &p->nodes)))
		i++;
	if (i == maps->nr) {
		rc = tm_array_grow(&maps->list, maps->nr, &maps->cap, sizeof(*maps->list));
		if (rc)
			return rc;
		maps->list[maps->nr++] = *p;
		*p = (struct tm_placement){ 0 };
		return (long)i;
	}
	for (size_t k = 0; k < p->nr && !rc; k++)
		rc = add_pages(&maps->list[i], p->resident[k].node, p->resident[k].bytes);
	maps->list[i].mappings++;
	return rc ? rc : (long)i;
}

int tm_numa_maps_parse(struct tm_numa_maps *maps, const char *text, struct tm_error *err)
{
	struct tm_numa_maps read = { 0 };
	long process = -1, at = 0;

	for (const char *line = text, *end; *line && at != -ENOMEM; line = *end ? end + 1 : end) {
		struct tm_placement p = { 0 };
		uint64_t page_bytes;
		bool stack = false;

		end = strchrnul(line, '\n');
		at = parse_line(line, (size_t)(end - line), &p, &stack, &page_bytes);
		if (!at)
			at = merge(&read, &p);
		if (at >= 0 && stack)
			process = at;
		read.malformed += at < 0;
		release_placement(&p);
	}
	if (at == -ENOMEM) {
		tm_numa_maps_release(&read);
		return tm_error_nomem(err);
	}
	if (process >= 0)
		read.process = &read.list[process];
	*maps = read;
	return 0;
}

int tm_numa_maps_each(const char *text, int (*visit)(void *context, const struct tm_numa_map *map),
		      void *context)
{
	int rc = 0;

	for (const char *line = text, *end; *line && !rc; line = *end ? end + 1 : end) {
		struct tm_placement p = { 0 };
		struct tm_numa_map map = { 0 };
		bool stack;

		end = strchrnul(line, '\n');
		rc = parse_line(line, (size_t)(end - line), &p, &stack, &map.page_bytes);
		if (!rc && p.nr) {
			map.start = strtoull(line, NULL, 16);
			map.resident = p.resident;
			map.nr = p.nr;
			rc = visit(context, &map);
		} else if (rc != -ENOMEM) {
			rc = 0;
		}
		release_placement(&p);
	}
	return rc;
}
