/* SPDX-License-Identifier: GPL-2.0-only */
/* "64K shmem=always 16K-128K enabled=madvise top defrag=madvise": sizes, and what is wanted. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mthp-view.h"
#include "lib/base/nearest.h"
#include "lib/base/units.h"

static void list_sizes(const struct tm_thp *thp, struct tm_buf *list)
{
	char size[TM_UNITS_MAX];

	for (size_t i = 0; i < thp->nr_sizes; i++)
		tm_buf_addf(list, "%s%s", i ? ", " : "",
			    tm_format_bytes(size, (uint64_t)thp->sizes[i].kib << 10));
}

static int no_word(const char *word, struct tm_error *err)
{
	tm_error_set(err, EINVAL, "'%.64s' is no size", word);
	tm_error_hint(err, "give a size as in 64K, a range as in 16K-128K, all, pmd or top");
	return -EINVAL;
}

/* The index of a size of this machine. */
static int find_size(const struct tm_thp *thp, const char *text, size_t *index,
		     struct tm_error *err)
{
	struct tm_buf list = TM_BUF_INIT;
	uint64_t bytes;

	if (tm_parse_amount(text, 1024, &bytes) || !bytes)
		return no_word(text, err);
	for (*index = 0; *index < thp->nr_sizes; ++*index)
		if ((uint64_t)thp->sizes[*index].kib << 10 == bytes)
			return 0;
	tm_error_set(err, ENOTSUP, "%.64s: this machine has no huge pages of that size", text);
	list_sizes(thp, &list);
	if (list.len)
		tm_error_hint(err, "it has %s", tm_buf_str(&list));
	else
		tm_error_hint(err, "sizes come with Linux 6.8");
	tm_buf_release(&list);
	return -ENOTSUP;
}

static int choose_range(const struct tm_thp *thp, char *word, bool *chosen, struct tm_error *err)
{
	char *dash = strchr(word, '-');
	size_t from = 0, to;
	int rc;

	if (dash)
		*dash = '\0';
	rc = find_size(thp, word, &from, err);
	to = from;
	if (!rc && dash)
		rc = find_size(thp, dash + 1, &to, err);
	if (!rc && from > to) {
		rc = tm_error_set(err, EINVAL, "%s-%s: the smaller size comes first", word,
				  dash + 1);
		tm_error_hint(err, "give %s-%s", dash + 1, word);
	}
	for (size_t i = from; !rc && i <= to; i++)
		chosen[i] = true;
	return rc;
}

static int choose_pmd(const struct tm_thp *thp, bool *chosen, struct tm_error *err)
{
	for (size_t i = 0; i < thp->nr_sizes; i++) {
		if (!thp->sizes[i].pmd)
			continue;
		chosen[i] = true;
		return 0;
	}
	return tm_error_set(err, ENOTSUP, "pmd: this kernel does not say which size that is");
}

int mthp_sizes(const struct tm_thp *thp, const char *word, bool *chosen, bool *top, bool *all,
	       struct tm_error *err)
{
	char *copy, *rest, *item;
	int rc = 0;

	*top = !strcmp(word, "top");
	*all = !strcmp(word, "all");
	for (size_t i = 0; i < thp->nr_sizes; i++)
		chosen[i] = *all;
	if (*top || *all)
		return 0;
	copy = rest = strdup(word);
	if (!copy)
		return tm_error_nomem(err);
	while (!rc && (item = strsep(&rest, ","))) {
		if (!strcmp(item, "top") || !strcmp(item, "all"))
			rc = tm_error_set(err, EINVAL, "%s: not together with sizes", item);
		else if (!strcmp(item, "pmd"))
			rc = choose_pmd(thp, chosen, err);
		else
			rc = choose_range(thp, item, chosen, err);
	}
	free(copy);
	return rc;
}

static int no_key(enum tm_knob_set set, const char *target, const char *key, struct tm_error *err)
{
	struct tm_nearest nearest = { .word = key, .len = strlen(key) };
	struct tm_buf list = TM_BUF_INIT;
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(set, &nr);

	for (size_t i = 0; i < nr; i++) {
		tm_buf_addf(&list, "%s%s", !i ? "" : i + 1 < nr ? ", " : " and ", rows[i].name);
		tm_nearest_try(&nearest, rows[i].name);
	}
	tm_error_set(err, EINVAL, "%s: no setting is called '%.64s'", target, key);
	if (nearest.best)
		tm_error_hint(err, "did you mean %s?", nearest.best);
	else
		tm_error_hint(err, "there are %s", tm_buf_str(&list));
	tm_buf_release(&list);
	return -EINVAL;
}

/* One group while its words are gone through. */
struct group {
	const char *target;
	bool top, all;
	bool *chosen;
	int values; /* KEY=VALUE words so far */
};

static bool has_file(const struct tm_thp_size *size, const struct tm_knob *knob)
{
	const struct tm_setting *setting = !strcmp(knob->name, "shmem") ? &size->shmem :
									  &size->enabled;

	return setting->value.state != TM_ABSENT;
}

/* Several sizes: those that have the file. One: it must have it, and settings_want() tells. */
static int want_sizes(struct settings *settings, const struct tm_root *root,
		      const struct tm_thp *thp, const struct group *group,
		      const struct tm_knob *knob, const char *value, struct tm_error *err)
{
	size_t nr = 0, with_file = 0;
	int rc = 0;

	for (size_t i = 0; i < thp->nr_sizes; i++) {
		nr += group->chosen[i];
		with_file += group->chosen[i] && has_file(&thp->sizes[i], knob);
	}
	if (!with_file && nr != 1) {
		tm_error_set(err, ENOTSUP, "%s: no size of this machine has the setting %s",
			     group->target, knob->name);
		tm_error_hint(err, "it comes with Linux %s", knob->since);
		return -ENOTSUP;
	}
	for (size_t i = 0; i < thp->nr_sizes && !rc; i++) {
		long kib = thp->sizes[i].kib;

		if (!group->chosen[i] || (nr > 1 && !has_file(&thp->sizes[i], knob)) ||
		    (group->all && settings_find(settings, knob, kib)))
			continue;
		rc = settings_want(settings, root, knob, kib, value, err);
	}
	return rc;
}

static int want_value(struct settings *settings, const struct tm_root *root,
		      const struct tm_thp *thp, struct group *group, const char *word,
		      struct tm_error *err)
{
	enum tm_knob_set set = group->top ? TM_KNOBS_THP : TM_KNOBS_MTHP;
	const char *equals = strchr(word, '=');
	const struct tm_knob *knob;
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)TM_MIN(equals - word, 63), word);
	knob = tm_knob_find(set, key);
	if (!knob)
		return no_key(set, group->target, key, err);
	group->values++;
	if (group->top)
		return settings_want(settings, root, knob, 0, equals + 1, err);
	return want_sizes(settings, root, thp, group, knob, equals + 1, err);
}

static int end_group(const struct group *group, struct tm_error *err)
{
	if (!group->target || group->values)
		return 0;
	tm_error_set(err, EINVAL, "%.64s: nothing is said for it", group->target);
	tm_error_hint(err, "say KEY=VALUE behind it, as in 64K shmem=always");
	return -EINVAL;
}

/* One pass over the words: for all groups but "all", or only for that. */
static int want_pass(struct settings *settings, const struct tm_root *root,
		     const struct tm_thp *thp, char *const *words, int nr, bool all, bool *chosen,
		     struct tm_error *err)
{
	struct group group = { .chosen = chosen };
	int rc = 0;

	for (int i = 0; i < nr && !rc; i++) {
		if (!strchr(words[i], '=')) {
			rc = end_group(&group, err);
			group = (struct group){ .target = words[i], .chosen = chosen };
			if (!rc)
				rc = mthp_sizes(thp, words[i], chosen, &group.top, &group.all, err);
		} else if (!group.target) {
			rc = tm_error_set(err, EINVAL, "'%.64s': for which size?", words[i]);
			tm_error_hint(err, "give a size, a range, all or top before it");
		} else if (group.all == all) {
			rc = want_value(settings, root, thp, &group, words[i], err);
		} else {
			group.values++;
		}
	}
	return rc ? rc : end_group(&group, err);
}

int mthp_want(struct settings *settings, const struct tm_root *root, const struct tm_thp *thp,
	      char *const *words, int nr, struct tm_error *err)
{
	bool *chosen = calloc(thp->nr_sizes + 1, sizeof(*chosen));
	int rc;

	if (!chosen)
		return tm_error_nomem(err);
	rc = want_pass(settings, root, thp, words, nr, false, chosen, err);
	if (!rc)
		rc = want_pass(settings, root, thp, words, nr, true, chosen, err);
	free(chosen);
	return rc;
}

/*
 * The usual sizes, then KEY= or KEY=VALUE of every setting. Which a machine takes it says itself.
 */
const char *mthp_group_word(size_t i, const char **help)
{
	static const char *const targets[][2] = {
		{ "all", "every size" },
		{ "top", "the settings for all sizes" },
		{ "pmd", "the size that one entry of a page middle directory maps" },
		{ "16K", "a size" },
		{ "32K", "a size" },
		{ "64K", "a size" },
		{ "128K", "a size" },
		{ "256K", "a size" },
		{ "512K", "a size" },
		{ "1M", "a size" },
		{ "2M", "a size" },
	};
	static const enum tm_knob_set sets[] = { TM_KNOBS_MTHP, TM_KNOBS_THP };
	static char text[128][48];
	size_t at = TM_ARRAY_SIZE(targets);

	if (i < at) {
		*help = targets[i][1];
		return targets[i][0];
	}
	for (size_t s = 0; s < TM_ARRAY_SIZE(sets); s++) {
		size_t nr;
		const struct tm_knob *rows = tm_knob_list(sets[s], &nr);

		for (size_t k = 0; k < nr; k++) {
			const struct tm_knob_word *word = rows[k].words;
			static const struct tm_knob_word on_off[] = {
				{ "on", NULL, "yes" },
				{ "off", NULL, "no" },
				{ NULL, NULL, NULL },
			};
			static const struct tm_knob_word number[] = {
				{ "", NULL, "a number" },
				{ NULL, NULL, NULL },
			};

			/* A size's words are among those for all sizes, but for "inherit". */
			if (sets[s] == TM_KNOBS_THP && tm_knob_find(TM_KNOBS_MTHP, rows[k].name))
				continue;
			if (!word)
				word = rows[k].form == TM_FORM_BOOL ? on_off : number;
			for (; word->word; word++, at++) {
				if (at != i || i >= TM_ARRAY_SIZE(text))
					continue;
				snprintf(text[i], sizeof(text[i]), "%s=%s", rows[k].name,
					 word->word);
				*help = word->help;
				return text[i];
			}
		}
	}
	return NULL;
}
