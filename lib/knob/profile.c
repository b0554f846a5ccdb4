/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/knob/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"

void tm_profile_release(struct tm_profile *profile)
{
	for (size_t i = 0; i < profile->nr; i++)
		free(profile->items[i].word);
	free(profile->items);
	*profile = (struct tm_profile){ 0 };
}

int tm_profile_add(struct tm_profile *profile, enum tm_knob_set set, const struct tm_knob *knob,
		   long instance, const char *word)
{
	struct tm_profile_item *item;

	if (tm_array_grow(&profile->items, profile->nr, &profile->cap, sizeof(*item)))
		return -ENOMEM;
	item = &profile->items[profile->nr];
	*item = (struct tm_profile_item){ set, knob, instance, strdup(word) };
	if (!item->word)
		return -ENOMEM;
	profile->nr++;
	return 0;
}

const struct tm_profile_item *tm_profile_find(const struct tm_profile *profile,
					      const struct tm_knob *knob, long instance)
{
	for (size_t i = 0; i < profile->nr; i++)
		if (profile->items[i].knob == knob && profile->items[i].instance == instance)
			return &profile->items[i];
	return NULL;
}

/* "64K", "all" */
static void size_key(long kib, char key[TM_UNITS_MAX])
{
	if (kib == TM_PROFILE_ALL)
		strcpy(key, "all");
	else
		tm_format_bytes(key, (uint64_t)kib << 10);
}

void tm_profile_place(enum tm_knob_set set, const struct tm_knob *knob, long instance,
		      struct tm_buf *place)
{
	char size[TM_UNITS_MAX];

	switch (set) {
	case TM_KNOBS_WEIGHTS:
		tm_buf_addf(place, "/weights/%ld", instance);
		break;
	case TM_KNOBS_THP:
		tm_buf_addf(place, "/mthp/top/%s", knob->name);
		break;
	case TM_KNOBS_MTHP:
		size_key(instance, size);
		tm_buf_addf(place, "/mthp/sizes/%s/%s", size, knob->name);
		break;
	case TM_KNOBS_POLICY:
		tm_buf_addf(place, "/policy/%s", knob->name);
		break;
	}
}

/* A number as a number, but where it may be a word of a list. */
static void add_value(struct tm_json *json, const char *key, const struct tm_profile_item *item)
{
	char plain[TM_UNITS_MAX];
	uint64_t number;

	if (item->knob->form != TM_FORM_CHOICE && !tm_parse_u64(item->word, &number)) {
		snprintf(plain, sizeof(plain), "%llu", (unsigned long long)number);
		if (!strcmp(plain, item->word)) {
			tm_json_u64(json, key, number);
			return;
		}
	}
	tm_json_string(json, key, item->word);
}

static bool has_set(const struct tm_profile *profile, enum tm_knob_set set)
{
	for (size_t i = 0; i < profile->nr; i++)
		if (profile->items[i].set == set)
			return true;
	return false;
}

static void add_set(struct tm_json *json, const char *key, const struct tm_profile *profile,
		    enum tm_knob_set set)
{
	if (!has_set(profile, set))
		return;
	tm_json_object(json, key);
	for (size_t i = 0; i < profile->nr; i++)
		if (profile->items[i].set == set)
			add_value(json, profile->items[i].knob->name, &profile->items[i]);
	tm_json_end(json);
}

static bool seen_before(const struct tm_profile *profile, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (profile->items[i].set == TM_KNOBS_MTHP &&
		    profile->items[i].instance == profile->items[at].instance)
			return true;
	return false;
}

static void add_sizes(struct tm_json *json, const struct tm_profile *profile)
{
	char key[TM_UNITS_MAX];

	if (!has_set(profile, TM_KNOBS_MTHP))
		return;
	tm_json_object(json, "sizes");
	for (size_t i = 0; i < profile->nr; i++) {
		long size = profile->items[i].instance;

		if (profile->items[i].set != TM_KNOBS_MTHP || seen_before(profile, i))
			continue;
		size_key(size, key);
		tm_json_object(json, key);
		for (size_t k = i; k < profile->nr; k++)
			if (profile->items[k].set == TM_KNOBS_MTHP &&
			    profile->items[k].instance == size)
				add_value(json, profile->items[k].knob->name, &profile->items[k]);
		tm_json_end(json);
	}
	tm_json_end(json);
}

static void add_weights(struct tm_json *json, const struct tm_profile *profile)
{
	char key[TM_UNITS_MAX];

	switch (profile->weights) {
	case TM_PROFILE_WEIGHTS_NONE:
		break;
	case TM_PROFILE_WEIGHTS_BEST:
		tm_json_string(json, "weights", "best");
		break;
	case TM_PROFILE_WEIGHTS_AUTO:
		tm_json_string(json, "weights", "auto");
		break;
	case TM_PROFILE_WEIGHTS_GIVEN:
		tm_json_object(json, "weights");
		for (size_t i = 0; i < profile->nr; i++) {
			if (profile->items[i].set != TM_KNOBS_WEIGHTS)
				continue;
			snprintf(key, sizeof(key), "%ld", profile->items[i].instance);
			add_value(json, key, &profile->items[i]);
		}
		tm_json_end(json);
		break;
	}
}

void tm_profile_json(struct tm_json *json, const struct tm_profile *profile)
{
	add_weights(json, profile);
	if (has_set(profile, TM_KNOBS_THP) || has_set(profile, TM_KNOBS_MTHP)) {
		tm_json_object(json, "mthp");
		add_set(json, "top", profile, TM_KNOBS_THP);
		add_sizes(json, profile);
		tm_json_end(json);
	}
	add_set(json, "policy", profile, TM_KNOBS_POLICY);
}
