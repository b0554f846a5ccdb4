/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cJSON does the parsing. Before it, one pass checks what cJSON lets through (duplicate keys apart,
 * which are found in the tree) and turns every number into a string marked with a byte that no JSON
 * text can contain raw, so that its digits survive.
 */
#include "lib/json/parse.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

#define MAX_NESTING 64
#define NUMBER_MARK '\x01'

struct tm_jdoc {
	cJSON *root;
};

static const cJSON *item_of(const struct tm_jvalue *value)
{
	return (const cJSON *)value;
}

static const struct tm_jvalue *value_of(const cJSON *item)
{
	return (const struct tm_jvalue *)item;
}

struct scan {
	const char *name;
	const char *text;
	size_t len;
	size_t at;
	struct tm_buf out;
	struct tm_error *err;
};

static int refuse(struct scan *scan, size_t at, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < scan->len; i++) {
		column++;
		if (scan->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return tm_error_set(scan->err, EINVAL, "%s:%zu:%zu: %s", scan->name, line, column, what);
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? : its length at `s`, or 0. */
static size_t number_length(const char *s, size_t len)
{
	size_t i = 0, digits;

	if (i < len && s[i] == '-')
		i++;
	for (digits = i; i < len && isdigit((unsigned char)s[i]); i++)
		;
	if (i == digits || (s[digits] == '0' && i - digits > 1))
		return 0;
	if (i < len && s[i] == '.') {
		for (digits = ++i; i < len && isdigit((unsigned char)s[i]); i++)
			;
		if (i == digits)
			return 0;
	}
	if (i < len && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < len && (s[i] == '+' || s[i] == '-'))
			i++;
		for (digits = i; i < len && isdigit((unsigned char)s[i]); i++)
			;
		if (i == digits)
			return 0;
	}
	return i;
}

static size_t hex_digits(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && isxdigit((unsigned char)s[i]))
		i++;
	return i;
}

static int scan_string(struct scan *scan)
{
	size_t start = scan->at, i = start + 1;

	while (i < scan->len && scan->text[i] != '"') {
		unsigned char c = (unsigned char)scan->text[i];
		size_t n = tm_utf8_length(scan->text + i, scan->len - i);

		if (c < 0x20)
			return refuse(scan, i, "control character in a string");
		if (!n)
			return refuse(scan, i, "not UTF-8");
		if (c == '\\') {
			/*
			 * cJSON checks escapes, but takes \u without its digits for NUL, which
			 * would cut its C strings short; and our mark is ours.
			 */
			if (i + 1 < scan->len && scan->text[i + 1] == 'u') {
				if (hex_digits(scan->text + i + 2, scan->len - i - 2) < 4)
					return refuse(scan, i, "malformed escape");
				if (!strncmp(scan->text + i + 2, "0000", 4) ||
				    !strncmp(scan->text + i + 2, "0001", 4))
					return refuse(scan, i,
						      "this control character is not accepted");
			}
			n = 2;
		}
		i += n;
	}
	if (i >= scan->len)
		return refuse(scan, start, "unterminated string");
	tm_buf_add(&scan->out, scan->text + start, i + 1 - start);
	scan->at = i + 1;
	return 0;
}

/*
 * Checks characters that cJSON would let pass, and marks numbers. The grammar itself is cJSON's
 * work.
 */
static int scan_text(struct scan *scan)
{
	static const char plain[] =
		"{}[]:,truefalsn"; /* punctuation, and the letters of true, false, null */
	int depth = 0, rc;
	size_t n;

	while (scan->at < scan->len) {
		const char *s = scan->text + scan->at;

		if (*s == '"') {
			rc = scan_string(scan);
			if (rc)
				return rc;
			continue;
		}
		if (*s == '-' || isdigit((unsigned char)*s)) {
			n = number_length(s, scan->len - scan->at);
			if (!n || (scan->at + n < scan->len &&
				   (isalnum((unsigned char)s[n]) || s[n] == '.')))
				return refuse(scan, scan->at, "malformed number");
			tm_buf_adds(&scan->out, "\"\\u0001");
			tm_buf_add(&scan->out, s, n);
			tm_buf_addc(&scan->out, '"');
			scan->at += n;
			continue;
		}
		if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n' ||
		    (*s && strchr(plain, *s))) {
			if (*s == '{' || *s == '[')
				depth++;
			else if (*s == '}' || *s == ']')
				depth--;
			if (depth > MAX_NESTING)
				return refuse(scan, scan->at, "nested too deeply");
			tm_buf_addc(&scan->out, *s);
			scan->at++;
			continue;
		}
		return refuse(scan, scan->at, "unexpected character");
	}
	return 0;
}

/* A number is a marked string; it may not serve as a key. Finds duplicate keys too. */
static int check_tree(const char *name, const cJSON *item, struct tm_error *err)
{
	int rc = 0;

	for (const cJSON *child = item->child; child && !rc; child = child->next) {
		if (cJSON_IsObject(item)) {
			if (child->string[0] == NUMBER_MARK)
				return tm_error_set(err, EINVAL, "%s: a key must be a string",
						    name);
			if (cJSON_GetObjectItemCaseSensitive(item, child->string) != child)
				return tm_error_set(err, EINVAL, "%s: key \"%s\" is there twice",
						    name, child->string);
		}
		rc = check_tree(name, child, err);
	}
	return rc;
}

int tm_jdoc_parse(const char *name, const char *text, size_t len, struct tm_jdoc **doc,
		  struct tm_error *err)
{
	struct scan scan = { name, text, len, 0, TM_BUF_INIT, err };
	const char *stop = NULL;
	struct tm_jdoc *parsed;
	cJSON *root = NULL;
	int rc = scan_text(&scan);

	if (rc)
		goto out;
	if (scan.out.failed) {
		rc = tm_error_nomem(err);
		goto out;
	}
	root = cJSON_ParseWithOpts(tm_buf_str(&scan.out), &stop, 1);
	if (!root) {
		rc = tm_error_set(err, EINVAL, "%s: not a JSON document%s", name,
				  len ? ", or cut short" : ": it is empty");
		goto out;
	}
	rc = check_tree(name, root, err);
	if (rc)
		goto out;
	parsed = malloc(sizeof(*parsed));
	if (!parsed) {
		rc = tm_error_nomem(err);
		goto out;
	}
	parsed->root = root;
	*doc = parsed;
	root = NULL;
out:
	cJSON_Delete(root);
	tm_buf_release(&scan.out);
	return rc;
}

void tm_jdoc_free(struct tm_jdoc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc);
}

const struct tm_jvalue *tm_jdoc_root(const struct tm_jdoc *doc)
{
	return value_of(doc->root);
}

static const char *number_text(const cJSON *item)
{
	return cJSON_IsString(item) && item->valuestring[0] == NUMBER_MARK ? item->valuestring + 1 :
									     NULL;
}

enum tm_jtype tm_jvalue_type(const struct tm_jvalue *value)
{
	const cJSON *item = item_of(value);

	if (cJSON_IsObject(item))
		return TM_JOBJECT;
	if (cJSON_IsArray(item))
		return TM_JARRAY;
	if (number_text(item))
		return TM_JNUMBER;
	if (cJSON_IsString(item))
		return TM_JSTRING;
	return cJSON_IsBool(item) ? TM_JBOOL : TM_JNULL;
}

const struct tm_jvalue *tm_jvalue_first(const struct tm_jvalue *value)
{
	return value_of(item_of(value)->child);
}

const struct tm_jvalue *tm_jvalue_next(const struct tm_jvalue *value)
{
	return value_of(item_of(value)->next);
}

const char *tm_jvalue_key(const struct tm_jvalue *value)
{
	return item_of(value)->string;
}

const struct tm_jvalue *tm_jvalue_get(const struct tm_jvalue *object, const char *key)
{
	return value_of(cJSON_GetObjectItemCaseSensitive(item_of(object), key));
}

int tm_jvalue_u64(const struct tm_jvalue *value, uint64_t *out)
{
	const char *text = number_text(item_of(value));
	char *end;
	uint64_t number;

	if (!text || text[strspn(text, "-0123456789")])
		return -EINVAL;
	if (text[0] == '-' && strcmp(text, "-0"))
		return -ERANGE;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	*out = number;
	return 0;
}

int tm_jvalue_i64(const struct tm_jvalue *value, int64_t *out)
{
	const char *text = number_text(item_of(value));
	int64_t number;

	if (!text || text[strspn(text, "-0123456789")])
		return -EINVAL;
	errno = 0;
	number = strtoll(text, NULL, 10);
	if (errno)
		return -ERANGE;
	*out = number;
	return 0;
}

int tm_jvalue_double(const struct tm_jvalue *value, double *out)
{
	const char *text = number_text(item_of(value));
	double number;

	if (!text)
		return -EINVAL;
	errno = 0;
	number = strtod(text, NULL);
	if (errno == ERANGE && (number > 1 || number < -1))
		return -ERANGE;
	*out = number;
	return 0;
}

int tm_jvalue_bool(const struct tm_jvalue *value, int *out)
{
	if (tm_jvalue_type(value) != TM_JBOOL)
		return -EINVAL;
	*out = cJSON_IsTrue(item_of(value)) ? 1 : 0;
	return 0;
}

const char *tm_jvalue_string(const struct tm_jvalue *value)
{
	return tm_jvalue_type(value) == TM_JSTRING ? item_of(value)->valuestring : NULL;
}
