/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/json/build.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

#define MAX_DEPTH 32

struct tm_json {
	cJSON *open[MAX_DEPTH]; /* open[0] is the document */
	int depth;		/* index of the innermost open item */
	int error;		/* first failure, a positive errno */
};

struct tm_json *tm_json_new(void)
{
	struct tm_json *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->open[0] = cJSON_CreateObject();
	if (!json->open[0]) {
		free(json);
		return NULL;
	}
	return json;
}

void tm_json_free(struct tm_json *json)
{
	if (!json)
		return;
	cJSON_Delete(json->open[0]);
	free(json);
}

void tm_json_freep(struct tm_json **json)
{
	tm_json_free(*json);
}

static void fail(struct tm_json *json, int number)
{
	if (!json->error)
		json->error = number;
}

/* Adds an item to what is open, or drops it when the builder has failed. True: it was added. */
static bool add(struct tm_json *json, const char *key, cJSON *item)
{
	cJSON *parent = json->open[json->depth];
	bool done;

	if (!item)
		fail(json, ENOMEM);
	else if (!json->error && cJSON_IsObject(parent) != (key != NULL))
		fail(json, EINVAL);
	if (json->error) {
		cJSON_Delete(item);
		return false;
	}
	done = key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item);
	if (!done) {
		cJSON_Delete(item);
		fail(json, ENOMEM);
	}
	return done;
}

static void open_item(struct tm_json *json, const char *key, cJSON *item)
{
	if (json->depth + 1 >= MAX_DEPTH)
		fail(json, EINVAL);
	if (add(json, key, item))
		json->open[++json->depth] = item;
}

void tm_json_object(struct tm_json *json, const char *key)
{
	open_item(json, key, cJSON_CreateObject());
}

void tm_json_array(struct tm_json *json, const char *key)
{
	open_item(json, key, cJSON_CreateArray());
}

void tm_json_end(struct tm_json *json)
{
	if (json->error)
		return;
	if (json->depth == 0)
		fail(json, EINVAL);
	else
		json->depth--;
}

void tm_json_null(struct tm_json *json, const char *key)
{
	add(json, key, cJSON_CreateNull());
}

void tm_json_bool(struct tm_json *json, const char *key, bool value)
{
	add(json, key, cJSON_CreateBool(value));
}

/* cJSON's numbers are doubles; raw text keeps every bit. */
void tm_json_u64(struct tm_json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add(json, key, cJSON_CreateRaw(text));
}

void tm_json_i64(struct tm_json *json, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add(json, key, cJSON_CreateRaw(text));
}

void tm_json_double(struct tm_json *json, const char *key, double value)
{
	char text[48];

	if (!isfinite(value)) {
		tm_json_null(json, key);
		return;
	}
	snprintf(text, sizeof(text), "%.6g", value);
	add(json, key, cJSON_CreateRaw(text));
}

void tm_json_string(struct tm_json *json, const char *key, const char *value)
{
	struct tm_buf safe = TM_BUF_INIT;
	size_t len, n;

	if (!value) {
		tm_json_null(json, key);
		return;
	}
	for (len = strlen(value); len; value += n, len -= n) {
		n = tm_utf8_length(value, len);
		if (n) {
			tm_buf_add(&safe, value, n);
		} else {
			n = 1;
			tm_buf_addf(&safe, "\\x%02x", (unsigned char)*value);
		}
	}
	if (safe.failed)
		fail(json, ENOMEM);
	add(json, key, cJSON_CreateString(tm_buf_str(&safe)));
	tm_buf_release(&safe);
}

void tm_json_idset(struct tm_json *json, const char *key, const struct tm_idset *set)
{
	char *list = tm_idset_format(set);

	if (list)
		add(json, key, cJSON_CreateString(list));
	else
		fail(json, ENOMEM);
	free(list);
}

void tm_json_none(struct tm_json *json, const char *key, enum tm_state state)
{
	const char *reason = tm_state_reason(state);
	char reason_key[64];

	tm_json_null(json, key);
	if (!reason || !key)
		return;
	snprintf(reason_key, sizeof(reason_key), "%s_reason", key);
	add(json, reason_key, cJSON_CreateString(reason));
}

void tm_json_num(struct tm_json *json, const char *key, struct tm_num num)
{
	if (num.state == TM_KNOWN)
		tm_json_u64(json, key, num.value);
	else
		tm_json_none(json, key, num.state);
}

void tm_json_text(struct tm_json *json, const char *key, const struct tm_text *text)
{
	if (text->state == TM_KNOWN)
		tm_json_string(json, key, text->value);
	else
		tm_json_none(json, key, text->state);
}

int tm_json_print(const struct tm_json *json, bool compact, char **text, struct tm_error *err)
{
	struct tm_buf buf = TM_BUF_INIT;
	char *printed, *whole;

	if (json->error || json->depth)
		return tm_error_set(err, json->error ? json->error : EINVAL,
				    json->error == ENOMEM ? "out of memory" :
							    "unbalanced JSON document");
	printed = cJSON_PrintBuffered(json->open[0], 16384, !compact);
	if (printed) {
		tm_buf_adds(&buf, printed);
		tm_buf_addc(&buf, '\n');
		cJSON_free(printed);
	} else {
		buf.failed = true;
	}
	whole = tm_buf_detach(&buf);
	if (!whole)
		return tm_error_nomem(err);
	*text = whole;
	return 0;
}
