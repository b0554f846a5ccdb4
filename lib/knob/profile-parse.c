/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading profiles. They are written by people too: what is not understood is refused by name and
 * place, since a misspelt key would be a setting that nobody makes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/idset.h"
#include "lib/base/nearest.h"
#include "lib/base/units.h"
#include "lib/json/parse.h"
#include "lib/knob/profile.h"

/* Far above any size of huge pages. */
#define SIZE_MAX_BYTES (1ULL << 40)

struct reader {
	const char *name; /* of the file */
	struct tm_profile *profile;
	struct tm_error *err;
};

static const char *const type_names[] = {
	[TM_JNULL] = "null",	 [TM_JBOOL] = "true or false", [TM_JNUMBER] = "a number",
	[TM_JSTRING] = "a text", [TM_JARRAY] = "an array",     [TM_JOBJECT] = "an object",
};

static int wrong_type(const struct reader *r, const char *place, const struct tm_jvalue *value,
		      const char *wanted)
{
	tm_error_set(r->err, EBADMSG, "%s: %s: it is %s", r->name, place,
		     type_names[tm_jvalue_type(value)]);
	tm_error_hint(r->err, "it should be %s", wanted);
	return -EBADMSG;
}

/* Keys of an object; `known` yields the i-th that there may be. */
typedef const char *(*key_list)(const void *context, size_t i);

static int unknown_key(const struct reader *r, const char *place, const char *key, key_list known,
		       const void *context)
{
	struct tm_nearest nearest = { .word = key, .len = strlen(key) };
	struct tm_buf list = TM_BUF_INIT;
	const char *one;

	for (size_t i = 0; (one = known(context, i)); i++) {
		tm_nearest_try(&nearest, one);
		tm_buf_addf(&list, "%s%s", i ? ", " : "", one);
	}
	tm_error_set(r->err, EBADMSG, "%s: %s: unknown key '%.64s'", r->name, *place ? place : "/",
		     key);
	if (nearest.best)
		tm_error_hint(r->err, "did you mean %s?", nearest.best);
	else
		tm_error_hint(r->err, "known are %s", tm_buf_str(&list));
	tm_buf_release(&list);
	return -EBADMSG;
}

static bool is_known(const char *key, key_list known, const void *context)
{
	const char *one;

	for (size_t i = 0; (one = known(context, i)); i++)
		if (!strcmp(one, key))
			return true;
	return false;
}

static int check_keys(const struct reader *r, const char *place, const struct tm_jvalue *object,
		      key_list known, const void *context)
{
	for (const struct tm_jvalue *v = tm_jvalue_first(object); v; v = tm_jvalue_next(v))
		if (!is_known(tm_jvalue_key(v), known, context))
			return unknown_key(r, place, tm_jvalue_key(v), known, context);
	return 0;
}

static const char *array_key(const void *context, size_t i)
{
	return ((const char *const *)context)[i];
}

static const char *knob_key(const void *context, size_t i)
{
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(*(const enum tm_knob_set *)context, &nr);

	return i < nr ? rows[i].name : NULL;
}

/* Has it the shape of a word that a kernel could list? */
static bool is_word(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_.");

	return len && len < 64 && !text[len];
}

/* Is it on or off, whatever its file says for that? */
static bool is_switch(const struct tm_knob *knob)
{
	static const char *const words[] = { "on", "off" };
	bool both = knob->form != TM_FORM_CHOICE;

	for (size_t i = 0; i < TM_ARRAY_SIZE(words) && both; i++) {
		struct tm_buf normal = TM_BUF_INIT;

		both = !tm_knob_parse(knob, NULL, words[i], &normal, NULL);
		tm_buf_release(&normal);
	}
	return both;
}

/* The user's word for a value of the document; -EINVAL where its type is no value of the knob. */
static int value_word(const struct tm_knob *knob, const struct tm_jvalue *value,
		      struct tm_buf *word)
{
	uint64_t number;
	int truth;

	if (tm_jvalue_string(value))
		tm_buf_adds(word, tm_jvalue_string(value));
	else if (is_switch(knob) && !tm_jvalue_bool(value, &truth))
		tm_buf_adds(word, truth ? "on" : "off");
	else if (knob->form != TM_FORM_CHOICE && !tm_jvalue_u64(value, &number))
		tm_buf_addf(word, "%llu", (unsigned long long)number);
	else
		return -EINVAL;
	return word->failed ? -ENOMEM : 0;
}

/* The error of tm_knob_parse begins with the setting's name, which the place has too. */
static int wrong_value(const struct reader *r, const char *place, const struct tm_knob *knob,
		       const struct tm_error *why)
{
	size_t len = strlen(knob->name);
	const char *text = why->text;

	if (!strncmp(text, knob->name, len) && !strncmp(text + len, ": ", 2))
		text += len + 2;
	tm_error_set(r->err, EBADMSG, "%s: %s: %s", r->name, place, text);
	if (*why->hint)
		tm_error_hint(r->err, "%s", why->hint);
	return -EBADMSG;
}

static int take_word(const struct reader *r, enum tm_knob_set set, const struct tm_knob *knob,
		     long instance, const char *place, const char *word)
{
	struct tm_buf normal = TM_BUF_INIT;
	struct tm_error why = { 0 };
	int rc;

	/*
	 * A choice is for the machine to judge: a later kernel may have words that we do not know.
	 */
	if (knob->form == TM_FORM_CHOICE && is_word(word))
		rc = 0;
	else
		rc = tm_knob_parse(knob, NULL, word, &normal, &why);
	tm_buf_release(&normal);
	if (rc == -ENOMEM)
		return tm_error_nomem(r->err);
	if (rc)
		return wrong_value(r, place, knob, &why);
	return tm_profile_add(r->profile, set, knob, instance, word) ? tm_error_nomem(r->err) : 0;
}

static int take_value(const struct reader *r, enum tm_knob_set set, const struct tm_knob *knob,
		      long instance, const struct tm_jvalue *value)
{
	struct tm_buf place = TM_BUF_INIT, word = TM_BUF_INIT, wanted = TM_BUF_INIT;
	int rc;

	tm_profile_place(set, knob, instance, &place);
	if (tm_profile_find(r->profile, knob, instance)) {
		rc = tm_error_set(r->err, EBADMSG, "%s: %s: is there twice", r->name,
				  tm_buf_str(&place));
	} else {
		rc = value_word(knob, value, &word);
		if (rc == -EINVAL) {
			tm_knob_describe(knob, NULL, &wanted);
			rc = wrong_type(r, tm_buf_str(&place), value, tm_buf_str(&wanted));
		} else if (rc) {
			tm_error_nomem(r->err);
		} else {
			rc = take_word(r, set, knob, instance, tm_buf_str(&place),
				       tm_buf_str(&word));
		}
	}
	tm_buf_release(&place);
	tm_buf_release(&word);
	tm_buf_release(&wanted);
	return rc;
}

/* An object whose keys are the settings of a set. */
static int take_set(const struct reader *r, const char *place, enum tm_knob_set set, long instance,
		    const struct tm_jvalue *object)
{
	int rc;

	if (tm_jvalue_type(object) != TM_JOBJECT)
		return wrong_type(r, place, object, "an object of settings");
	rc = check_keys(r, place, object, knob_key, &set);
	for (const struct tm_jvalue *v = tm_jvalue_first(object); v && !rc; v = tm_jvalue_next(v))
		rc = take_value(r, set, tm_knob_find(set, tm_jvalue_key(v)), instance, v);
	return rc;
}

static int take_sizes(const struct reader *r, const struct tm_jvalue *object)
{
	int rc = 0;

	if (tm_jvalue_type(object) != TM_JOBJECT)
		return wrong_type(r, "/mthp/sizes", object, "an object of sizes");
	for (const struct tm_jvalue *v = tm_jvalue_first(object); v && !rc; v = tm_jvalue_next(v)) {
		struct tm_buf place = TM_BUF_INIT;
		const char *key = tm_jvalue_key(v);
		long size = TM_PROFILE_ALL;
		uint64_t bytes;

		if (strcmp(key, "all") != 0) {
			if (tm_parse_amount(key, 1024, &bytes) || bytes < 1024 ||
			    bytes > SIZE_MAX_BYTES || bytes & (bytes - 1)) {
				tm_error_set(r->err, EBADMSG,
					     "%s: /mthp/sizes: '%.64s' is no size of huge pages",
					     r->name, key);
				tm_error_hint(r->err, "write it as 64K or 2M, or all for the "
						      "sizes without a key of their own");
				return -EBADMSG;
			}
			size = (long)(bytes >> 10);
		}
		tm_buf_addf(&place, "/mthp/sizes/%s", key);
		rc = take_set(r, tm_buf_str(&place), TM_KNOBS_MTHP, size, v);
		tm_buf_release(&place);
	}
	return rc;
}

static int take_mthp(const struct reader *r, const struct tm_jvalue *object)
{
	static const char *const keys[] = { "top", "sizes", NULL };
	const struct tm_jvalue *top = tm_jvalue_get(object, "top");
	const struct tm_jvalue *sizes = tm_jvalue_get(object, "sizes");
	int rc;

	if (tm_jvalue_type(object) != TM_JOBJECT)
		return wrong_type(r, "/mthp", object, "an object with top, sizes or both");
	rc = check_keys(r, "/mthp", object, array_key, keys);
	if (!rc && top)
		rc = take_set(r, "/mthp/top", TM_KNOBS_THP, 0, top);
	if (!rc && sizes)
		rc = take_sizes(r, sizes);
	return rc;
}

static int take_weights(const struct reader *r, const struct tm_jvalue *value)
{
	const struct tm_knob *knob = tm_knob_find(TM_KNOBS_WEIGHTS, "weight");
	const char *word = tm_jvalue_string(value);
	static const char wanted[] = "best, auto, or an object such as {\"0\": 5, \"1\": 1}";
	int rc = 0;

	if (word && !strcmp(word, "best")) {
		r->profile->weights = TM_PROFILE_WEIGHTS_BEST;
	} else if (word && !strcmp(word, "auto")) {
		r->profile->weights = TM_PROFILE_WEIGHTS_AUTO;
	} else if (word) {
		tm_error_set(r->err, EBADMSG, "%s: /weights: '%.64s' is no value for it", r->name,
			     word);
		tm_error_hint(r->err, "it should be %s", wanted);
		return -EBADMSG;
	} else if (tm_jvalue_type(value) != TM_JOBJECT) {
		return wrong_type(r, "/weights", value, wanted);
	} else {
		r->profile->weights = TM_PROFILE_WEIGHTS_GIVEN;
	}
	for (const struct tm_jvalue *v = tm_jvalue_first(value); v && !rc; v = tm_jvalue_next(v)) {
		struct tm_buf place = TM_BUF_INIT;
		long node;

		if (!tm_name_id(tm_jvalue_key(v), "", &node) || node > TM_ID_MAX) {
			tm_error_set(r->err, EBADMSG, "%s: /weights: '%.64s' is no node", r->name,
				     tm_jvalue_key(v));
			tm_error_hint(r->err, "the keys are ids of nodes, such as \"0\"");
			return -EBADMSG;
		}
		tm_buf_addf(&place, "/weights/%ld", node);
		if (tm_jvalue_type(v) != TM_JNUMBER)
			rc = wrong_type(r, tm_buf_str(&place), v, "a number from 1 to 255");
		else
			rc = take_value(r, TM_KNOBS_WEIGHTS, knob, node, v);
		tm_buf_release(&place);
	}
	return rc;
}

static int check_schema(const struct reader *r, const struct tm_jvalue *root)
{
	const struct tm_jvalue *value = tm_jvalue_get(root, "schema");
	const char *schema = value ? tm_jvalue_string(value) : NULL;
	int rc;

	if (schema && !strcmp(schema, TM_PROFILE_SCHEMA))
		return 0;
	if (schema && !strncmp(schema, "tiermem.profile/", 16))
		rc = tm_error_set(r->err, EBADMSG,
				  "%s: /schema: this tiermem does not know profiles of '%.64s'",
				  r->name, schema);
	else
		rc = tm_error_set(r->err, EBADMSG, "%s: is no profile", r->name);
	tm_error_hint(r->err, "a profile is an object with \"schema\": \"" TM_PROFILE_SCHEMA "\"");
	return rc;
}

static int take_document(const struct reader *r, const struct tm_jvalue *root)
{
	/* First those for people, for the list of what is known; what save adds is passed over. */
	static const char *const keys[] = { "schema",	   "weights", "mthp",		"policy",
					    "tiermem",	   "kernel",  "kernel_reason",	"host",
					    "host_reason", "boot_id", "boot_id_reason", "root",
					    "time",	   NULL };
	const struct tm_jvalue *weights = tm_jvalue_get(root, "weights");
	const struct tm_jvalue *mthp = tm_jvalue_get(root, "mthp");
	const struct tm_jvalue *policy = tm_jvalue_get(root, "policy");
	int rc = check_schema(r, root);

	if (!rc)
		rc = check_keys(r, "", root, array_key, keys);
	if (!rc && weights)
		rc = take_weights(r, weights);
	if (!rc && mthp)
		rc = take_mthp(r, mthp);
	if (!rc && policy)
		rc = take_set(r, "/policy", TM_KNOBS_POLICY, 0, policy);
	return rc;
}

int tm_profile_parse(const char *name, const char *text, size_t len, struct tm_profile *profile,
		     struct tm_error *err)
{
	struct tm_profile read = { 0 };
	struct reader r = { .name = name, .profile = &read, .err = err };
	struct tm_jdoc *doc = NULL;
	int rc = tm_jdoc_parse(name, text, len, &doc, err);

	if (rc)
		return rc == -EINVAL ? -EBADMSG : rc;
	rc = take_document(&r, tm_jdoc_root(doc));
	tm_jdoc_free(doc);
	if (rc) {
		tm_profile_release(&read);
		return rc;
	}
	*profile = read;
	return 0;
}
