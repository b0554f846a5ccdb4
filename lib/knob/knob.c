/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/knob/knob.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/nearest.h"
#include "lib/base/units.h"
#include "lib/knob/rows.h"
#include "lib/sys/attr.h"

const struct tm_knob *tm_knob_list(enum tm_knob_set set, size_t *nr)
{
	static const struct tm_knob *const rows[] = {
		[TM_KNOBS_WEIGHTS] = tm_knob_rows_weights,
		[TM_KNOBS_THP] = tm_knob_rows_thp,
		[TM_KNOBS_MTHP] = tm_knob_rows_mthp,
		[TM_KNOBS_POLICY] = tm_knob_rows_policy,
	};
	size_t count = 0;

	while (rows[set][count].name)
		count++;
	*nr = count;
	return rows[set];
}

const struct tm_knob *tm_knob_find(enum tm_knob_set set, const char *name)
{
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(set, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

void tm_knob_path(const struct tm_knob *knob, long instance, char path[TM_PATH_MAX])
{
	const char *mark = strstr(knob->path, "%ld");

	if (mark)
		(void)tm_path_format(path, "%.*s%ld%s", (int)(mark - knob->path), knob->path,
				     instance, mark + 3);
	else
		(void)tm_path_format(path, "%s", knob->path);
}

/* "always inherit [madvise] never" without the brackets. */
static char *accepted_words(const char *raw)
{
	char *words = strdup(raw), *to = words;

	for (char *from = words; from && *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from;
	if (to)
		*to = '\0';
	return words;
}

int tm_setting_read(const struct tm_root *root, const struct tm_knob *knob, long instance,
		    struct tm_setting *setting)
{
	struct tm_setting read = { .knob = knob, .instance = instance };
	struct tm_buf raw = TM_BUF_INIT, normal = TM_BUF_INIT;
	char path[TM_PATH_MAX];
	int rc;

	tm_knob_path(knob, instance, path);
	rc = tm_attr_read(root, path, &raw);
	if (rc && rc != -ENOMEM) {
		read.value.state = tm_state_from_errno(-rc);
		rc = 0;
	} else if (!rc) {
		rc = tm_form_normalise(knob->form, tm_buf_str(&raw), &normal);
		if (rc == -EINVAL) {
			read.value.state = TM_MALFORMED;
			rc = 0;
		} else if (!rc) {
			read.value = (struct tm_text){ tm_buf_detach(&normal), TM_KNOWN };
			/* Without brackets a choice is a word, not a list. */
			if (knob->form == TM_FORM_CHOICE && strchr(tm_buf_str(&raw), '['))
				read.accepted = accepted_words(tm_buf_str(&raw));
			rc = read.value.value ? 0 : -ENOMEM;
		}
	}
	tm_buf_release(&raw);
	tm_buf_release(&normal);
	if (rc) {
		tm_setting_release(&read);
		return rc;
	}
	*setting = read;
	return 0;
}

void tm_setting_release(struct tm_setting *setting)
{
	tm_text_release(&setting->value);
	free(setting->accepted);
	setting->accepted = NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!len || strchr(word, ' '))
		return false;
	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static const char *const bool_words[] = { "on", "off" };

/* The n-th word that can be given; NULL after the last. */
static const char *nth_word(const struct tm_knob *knob, const char *accepted, size_t n)
{
	if (knob->form == TM_FORM_BOOL)
		return n < TM_ARRAY_SIZE(bool_words) ? bool_words[n] : NULL;
	for (size_t i = 0; knob->words && knob->words[i].word; i++) {
		if (accepted && knob->form == TM_FORM_CHOICE &&
		    !has_word(accepted, knob->words[i].word))
			continue;
		if (!n--)
			return knob->words[i].word;
	}
	return NULL;
}

/* Is it a word that some kernel takes? */
static bool is_known(const struct tm_knob *knob, const char *word)
{
	const char *known;

	for (size_t n = 0; (known = nth_word(knob, NULL, n)); n++)
		if (!strcmp(known, word))
			return true;
	return false;
}

/* A bound as the user would write it. */
static void add_number(const struct tm_knob *knob, uint64_t number, struct tm_buf *text)
{
	char amount[TM_UNITS_MAX];
	uint64_t bytes;

	if (knob->scale && !__builtin_mul_overflow(number, knob->scale, &bytes))
		tm_buf_adds(text, tm_format_amount(amount, bytes));
	else
		tm_buf_addf(text, "%" PRIu64, number);
}

void tm_knob_describe(const struct tm_knob *knob, const char *accepted, struct tm_buf *text)
{
	const char *word = nth_word(knob, accepted, 0), *next;
	bool number = knob->form == TM_FORM_NUMBER;

	for (size_t n = 1; word; n++, word = next) {
		next = nth_word(knob, accepted, n);
		if (n > 1)
			tm_buf_adds(text, next || number ? ", " : " or ");
		tm_buf_adds(text, word);
	}
	if (!number)
		return;
	if (nth_word(knob, accepted, 0))
		tm_buf_adds(text, " or ");
	if (knob->max == UINT32_MAX) {
		tm_buf_adds(text, "a number from ");
		add_number(knob, knob->min, text);
	} else {
		add_number(knob, knob->min, text);
		tm_buf_adds(text, " to ");
		add_number(knob, knob->max, text);
	}
	if (knob->unit)
		tm_buf_addf(text, " %s", knob->unit);
}

static int refuse(const struct tm_knob *knob, const char *accepted, const char *word,
		  struct tm_error *err)
{
	struct tm_nearest nearest = { .word = word, .len = strlen(word) };
	struct tm_buf text = TM_BUF_INIT;
	const char *candidate;

	for (size_t n = 0; (candidate = nth_word(knob, accepted, n)); n++)
		tm_nearest_try(&nearest, candidate);
	tm_knob_describe(knob, accepted, &text);
	if (is_known(knob, word))
		tm_error_set(err, EINVAL, "%s: this kernel does not take '%s' here", knob->name,
			     word);
	else
		tm_error_set(err, EINVAL, "%s: '%.64s' is no value for it", knob->name, word);
	if (nearest.best)
		tm_error_hint(err, "did you mean %s? it takes %s", nearest.best, tm_buf_str(&text));
	else
		tm_error_hint(err, "it takes %s", tm_buf_str(&text));
	tm_buf_release(&text);
	return -EINVAL;
}

/* Stricter than the kernel, which looks at the first letter only. */
static int parse_bool(const char *word, struct tm_buf *made)
{
	static const char *const words[][2] = {
		{ "on", "true" },  { "off", "false" }, { "true", "true" }, { "false", "false" },
		{ "yes", "true" }, { "no", "false" },  { "1", "true" },	   { "0", "false" },
	};

	for (size_t i = 0; i < TM_ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i][0], word)) {
			tm_buf_adds(made, words[i][1]);
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_number(const struct tm_knob *knob, const char *word, uint64_t *number)
{
	int rc;

	if (!knob->scale)
		return tm_parse_u64(word, number);
	rc = tm_parse_amount(word, 1000, number);
	if (!rc)
		*number /= knob->scale;
	return rc;
}

int tm_knob_parse(const struct tm_knob *knob, const char *accepted, const char *word,
		  struct tm_buf *normal, struct tm_error *err)
{
	struct tm_buf made = TM_BUF_INIT;
	uint64_t number;
	int rc = 0;

	for (size_t i = 0; knob->words && knob->words[i].word; i++)
		if (!strcmp(knob->words[i].word, word) && knob->words[i].value)
			tm_buf_adds(&made, knob->words[i].value);
	if (!made.len) {
		switch (knob->form) {
		case TM_FORM_CHOICE:
			/* The kernel may know words that we do not. */
			rc = (accepted ? has_word(accepted, word) : is_known(knob, word)) ? 0 :
											    -EINVAL;
			tm_buf_adds(&made, word);
			break;
		case TM_FORM_NUMBER:
			rc = parse_number(knob, word, &number);
			if (!rc && (number < knob->min || number > knob->max))
				rc = -ERANGE;
			if (!rc)
				tm_buf_addf(&made, "%" PRIu64, number);
			break;
		case TM_FORM_BOOL:
			rc = parse_bool(word, &made);
			break;
		case TM_FORM_TEXT:
			rc = tm_form_normalise(knob->form, word, &made);
			break;
		}
	}
	if (!rc && made.failed)
		rc = -ENOMEM;
	if (rc) {
		tm_buf_release(&made);
		return rc == -ENOMEM ? tm_error_nomem(err) : refuse(knob, accepted, word, err);
	}
	tm_buf_release(normal);
	*normal = made;
	return 0;
}

struct tm_num tm_knob_number(const struct tm_knob *knob, const char *normal)
{
	uint64_t number;

	if (knob->form != TM_FORM_NUMBER || tm_parse_u64(normal, &number) ||
	    (knob->scale && __builtin_mul_overflow(number, knob->scale, &number)))
		return tm_num_none(TM_MALFORMED);
	return tm_num_known(number);
}

void tm_knob_say(const struct tm_knob *knob, const char *normal, struct tm_buf *word)
{
	struct tm_num number = tm_knob_number(knob, normal);
	char amount[TM_UNITS_MAX];

	for (size_t i = 0; knob->words && knob->words[i].word; i++) {
		if (knob->words[i].value && !strcmp(knob->words[i].value, normal)) {
			tm_buf_adds(word, knob->words[i].word);
			return;
		}
	}
	if (knob->form == TM_FORM_BOOL)
		tm_buf_adds(word, bool_words[!strcmp(normal, "true") ? 0 : 1]);
	else if (knob->scale && tm_num_is(&number))
		tm_buf_adds(word, tm_format_amount(amount, number.value));
	else
		tm_buf_adds(word, normal);
}
