/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/unit/tree.h"

#include "lib/knob/profile.h"

#define HEAD "{\"schema\": \"tiermem.profile/1\", "

static int parse(const char *text, struct tm_profile *profile, struct tm_error *err)
{
	return tm_profile_parse("p.json", text, strlen(text), profile, err);
}

static const char *word_of(const struct tm_profile *profile, enum tm_knob_set set, const char *name,
			   long instance)
{
	const struct tm_profile_item *item =
		tm_profile_find(profile, tm_knob_find(set, name), instance);

	return item ? item->word : NULL;
}

static void test_whole(void **state)
{
	struct tm_profile profile = { 0 };
	struct tm_error err = { 0 };

	(void)state;
	assert_int_equal(
		parse(HEAD "\"kernel\": null, \"kernel_reason\": \"absent\", \"host\": \"h\", "
			   "\"weights\": {\"0\": 5, \"12\": 255}, "
			   "\"mthp\": {\"top\": {\"shmem\": \"never\", \"use-zero-page\": false}, "
			   "\"sizes\": {\"64K\": {\"shmem\": \"always\"}, "
			   "\"2048Ki\": {\"enabled\": \"futureword\"}, "
			   "\"all\": {\"enabled\": \"inherit\"}}}, "
			   "\"policy\": {\"demotion\": true, \"numa-balancing\": 2, "
			   "\"promote-rate-limit\": \"20G\", \"watermark-scale-factor\": 10}}",
		      &profile, &err),
		0);
	assert_int_equal(profile.weights, TM_PROFILE_WEIGHTS_GIVEN);
	assert_int_equal(profile.nr, 11);
	assert_string_equal(word_of(&profile, TM_KNOBS_WEIGHTS, "weight", 12), "255");
	assert_string_equal(word_of(&profile, TM_KNOBS_THP, "shmem", 0), "never");
	assert_string_equal(word_of(&profile, TM_KNOBS_THP, "use-zero-page", 0), "off");
	assert_string_equal(word_of(&profile, TM_KNOBS_MTHP, "shmem", 64), "always");
	/* A later kernel may have words that we do not know. */
	assert_string_equal(word_of(&profile, TM_KNOBS_MTHP, "enabled", 2048), "futureword");
	assert_string_equal(word_of(&profile, TM_KNOBS_MTHP, "enabled", TM_PROFILE_ALL), "inherit");
	assert_string_equal(word_of(&profile, TM_KNOBS_POLICY, "demotion", 0), "on");
	assert_string_equal(word_of(&profile, TM_KNOBS_POLICY, "numa-balancing", 0), "2");
	assert_null(word_of(&profile, TM_KNOBS_MTHP, "shmem", 2048));
	tm_profile_release(&profile);

	assert_int_equal(parse(HEAD "\"weights\": \"best\"}", &profile, &err), 0);
	assert_int_equal(profile.weights, TM_PROFILE_WEIGHTS_BEST);
	tm_profile_release(&profile);
	assert_int_equal(parse("{\"schema\": \"tiermem.profile/1\"}", &profile, &err), 0);
	assert_int_equal(profile.weights, TM_PROFILE_WEIGHTS_NONE);
	assert_int_equal(profile.nr, 0);
	tm_profile_release(&profile);
}

/* What is written of a profile. */
static void test_written(void **state)
{
	static const char wanted[] = "{\"weights\":{\"3\":7},"
				     "\"mthp\":{\"sizes\":{\"64K\":{\"enabled\":\"never\"},"
				     "\"1M\":{\"enabled\":\"always\",\"shmem\":\"never\"}}},"
				     "\"policy\":{\"demotion\":\"on\",\"scan-delay\":1000,"
				     "\"promote-rate-limit\":\"64Gi\"}}\n";
	const struct tm_knob *enabled = tm_knob_find(TM_KNOBS_MTHP, "enabled");
	struct tm_profile profile = { .weights = TM_PROFILE_WEIGHTS_GIVEN };
	struct tm_json *json = tm_json_new();
	struct tm_buf place = TM_BUF_INIT;
	char *text = NULL;

#define ADD(set, name, instance, word) \
	assert_int_equal(tm_profile_add(&profile, set, tm_knob_find(set, name), instance, word), 0)
	(void)state;
	ADD(TM_KNOBS_POLICY, "demotion", 0, "on");
	ADD(TM_KNOBS_MTHP, "enabled", 64, "never");
	ADD(TM_KNOBS_MTHP, "enabled", 1024, "always");
	ADD(TM_KNOBS_POLICY, "scan-delay", 0, "1000");
	ADD(TM_KNOBS_MTHP, "shmem", 1024, "never");
	ADD(TM_KNOBS_WEIGHTS, "weight", 3, "7");
	ADD(TM_KNOBS_POLICY, "promote-rate-limit", 0, "64Gi");
	tm_profile_json(json, &profile);
	assert_int_equal(tm_json_print(json, true, &text, NULL), 0);
	assert_string_equal(text, wanted);
	tm_profile_place(TM_KNOBS_MTHP, enabled, 1024, &place);
	assert_string_equal(tm_buf_str(&place), "/mthp/sizes/1M/enabled");
	tm_buf_release(&place);
	free(text);
	tm_json_free(json);
	tm_profile_release(&profile);
}

struct wrong {
	const char *text;
	const char *says; /* in the error, behind the file's name */
	const char *hint; /* in its hint; NULL: of no account */
};

static const struct wrong wrongs[] = {
	{ "", "", NULL },
	{ "[]", "is no profile", "tiermem.profile/1" },
	{ "{}", "is no profile", NULL },
	{ "{\"schema\": \"tiermem.plan/1\"}", "is no profile", NULL },
	{ "{\"schema\": \"tiermem.profile/2\"}", "does not know profiles of 'tiermem.profile/2'",
	  NULL },
	{ "{\"schema\": 1}", "is no profile", NULL },
	{ HEAD "\"weigths\": \"best\"}", "/: unknown key 'weigths'", "did you mean weights?" },
	{ HEAD "\"frobnicate\": 1}", "/: unknown key 'frobnicate'", "known are schema, weights" },
	{ HEAD "\"weights\": \"bset\"}", "/weights: 'bset' is no value", "best, auto" },
	{ HEAD "\"weights\": 5}", "/weights: it is a number", "best, auto" },
	{ HEAD "\"weights\": null}", "/weights: it is null", NULL },
	{ HEAD "\"weights\": {\"node0\": 5}}", "/weights: 'node0' is no node", "\"0\"" },
	{ HEAD "\"weights\": {\"-1\": 5}}", "/weights: '-1' is no node", NULL },
	{ HEAD "\"weights\": {\"65536\": 5}}", "/weights: '65536' is no node", NULL },
	{ HEAD "\"weights\": {\"0\": 0}}", "/weights/0: ", "1 to 255" },
	{ HEAD "\"weights\": {\"0\": 256}}", "/weights/0: ", "1 to 255" },
	{ HEAD "\"weights\": {\"0\": -1}}", "/weights/0: ", "1 to 255" },
	{ HEAD "\"weights\": {\"0\": 1.5}}", "/weights/0: ", NULL },
	{ HEAD "\"weights\": {\"0\": \"5\"}}", "/weights/0: it is a text", "number from 1 to 255" },
	{ HEAD "\"weights\": {\"0\": 5, \"0\": 6}}", "\"0\" is there twice", NULL },
	{ HEAD "\"mthp\": []}", "/mthp: it is an array", "top, sizes" },
	{ HEAD "\"mthp\": {\"size\": {}}}", "/mthp: unknown key 'size'", "did you mean sizes?" },
	{ HEAD "\"mthp\": {\"top\": \"x\"}}", "/mthp/top: it is a text", NULL },
	{ HEAD "\"mthp\": {\"sizes\": 1}}", "/mthp/sizes: it is a number", NULL },
	{ HEAD "\"mthp\": {\"top\": {\"enable\": \"never\"}}}", "/mthp/top: unknown key 'enable'",
	  "did you mean enabled?" },
	{ HEAD "\"mthp\": {\"top\": {\"enabled\": true}}}",
	  "/mthp/top/enabled: it is true or false", "always, madvise or never" },
	{ HEAD "\"mthp\": {\"top\": {\"enabled\": \"[never]\"}}}", "/mthp/top/enabled: ", NULL },
	{ HEAD "\"mthp\": {\"top\": {\"use-zero-page\": \"maybe\"}}}",
	  "/mthp/top/use-zero-page: 'maybe' is no value", "on" },
	{ HEAD "\"mthp\": {\"sizes\": {\"64Q\": {}}}}", "/mthp/sizes: '64Q' is no size", "64K" },
	{ HEAD "\"mthp\": {\"sizes\": {\"96K\": {}}}}", "/mthp/sizes: '96K' is no size", NULL },
	{ HEAD "\"mthp\": {\"sizes\": {\"64\": {}}}}", "/mthp/sizes: '64' is no size", NULL },
	{ HEAD "\"mthp\": {\"sizes\": {\"64K\": {\"defrag\": \"never\"}}}}",
	  "/mthp/sizes/64K: unknown key 'defrag'", "enabled, shmem" },
	{ HEAD "\"mthp\": {\"sizes\": {\"64K\": {\"shmem\": \"never\"}, "
	       "\"65536\": {\"shmem\": \"always\"}}}}",
	  "/mthp/sizes/64K/shmem: is there twice", NULL },
	{ HEAD "\"policy\": 1}", "/policy: it is a number", NULL },
	{ HEAD "\"policy\": {\"demotoin\": true}}", "/policy: unknown key 'demotoin'",
	  "did you mean demotion?" },
	{ HEAD "\"policy\": {\"demotion\": null}}", "/policy/demotion: it is null", "on" },
	{ HEAD "\"policy\": {\"demotion\": 2}}", "/policy/demotion: '2' is no value", "on or off" },
	{ HEAD "\"policy\": {\"numa-balancing\": 4}}", "/policy/numa-balancing: '4' is no value",
	  "tiering" },
	{ HEAD "\"policy\": {\"promote-rate-limit\": 20}}", "/policy/promote-rate-limit: ", "1Mi" },
	{ HEAD "\"policy\": {\"demotion\": \"\"}}", "/policy/demotion: ", NULL },
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < TM_ARRAY_SIZE(wrongs); i++) {
		const struct wrong *w = &wrongs[i];
		struct tm_profile profile = { 0 };
		struct tm_error err = { 0 };
		int rc = parse(w->text, &profile, &err);

		if (rc != -EBADMSG || strncmp(err.text, "p.json:", 7) != 0 ||
		    !strstr(err.text, w->says) || (w->hint && !strstr(err.hint, w->hint)))
			fail_msg("%s: %d, '%s', hint '%s'", w->text, rc, err.text, err.hint);
		assert_null(profile.items);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
