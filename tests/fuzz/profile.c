/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile that is read has only settings that there are, none twice, with words that can be set;
 * what is written of it is the same profile.
 */
#include <errno.h>
#include <stdbool.h>

#include "lib/knob/profile.h"
#include "tests/fuzz/fuzz.h"

static void check_item(const struct tm_profile *profile, size_t at)
{
	const struct tm_profile_item *item = &profile->items[at];
	struct tm_buf normal = TM_BUF_INIT;
	long size = item->instance;

	CHECK(tm_knob_find(item->set, item->knob->name) == item->knob);
	/* The first of its kind is this one. */
	CHECK(tm_profile_find(profile, item->knob, item->instance) == item);
	CHECK(*item->word);
	if (item->knob->form != TM_FORM_CHOICE)
		CHECK(tm_knob_parse(item->knob, NULL, item->word, &normal, NULL) == 0);
	tm_buf_release(&normal);
	switch (item->set) {
	case TM_KNOBS_WEIGHTS:
		CHECK(profile->weights == TM_PROFILE_WEIGHTS_GIVEN);
		CHECK(size >= 0 && size <= TM_ID_MAX);
		break;
	case TM_KNOBS_MTHP:
		CHECK(size == TM_PROFILE_ALL || (size > 0 && !(size & (size - 1))));
		break;
	default:
		CHECK(size == 0);
	}
}

static char *print(const struct tm_profile *profile)
{
	struct tm_json *json = tm_json_new();
	char *text = NULL;

	CHECK(json);
	tm_json_string(json, "schema", TM_PROFILE_SCHEMA);
	tm_profile_json(json, profile);
	CHECK(tm_json_print(json, false, &text, NULL) == 0);
	tm_json_free(json);
	return text;
}

static void check_same(const struct tm_profile *a, const struct tm_profile *b)
{
	CHECK(a->weights == b->weights);
	CHECK(a->nr == b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct tm_profile_item *item = &a->items[i];
		const struct tm_profile_item *other =
			tm_profile_find(b, item->knob, item->instance);

		CHECK(other && other->set == item->set && !strcmp(other->word, item->word));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tm_profile profile = { 0 }, again = { 0 };
	struct tm_error err = { 0 };
	char *text;
	int rc = tm_profile_parse("input", (const char *)data, size, &profile, &err);

	if (rc) {
		CHECK(rc == -EBADMSG && !profile.items && !profile.nr);
		CHECK(err.number && !strncmp(err.text, "input:", 6));
		return 0;
	}
	for (size_t i = 0; i < profile.nr; i++)
		check_item(&profile, i);
	text = print(&profile);
	CHECK(tm_profile_parse("again", text, strlen(text), &again, &err) == 0);
	check_same(&profile, &again);
	free(text);
	tm_profile_release(&profile);
	tm_profile_release(&again);
	return 0;
}
