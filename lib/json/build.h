/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building JSON documents. A builder keeps a cursor: values are added to the innermost open object
 * or array, with a key in an object and NULL in an array. A failure (memory, nesting) is remembered
 * and reported once, by tm_json_print; until then calls are harmless.
 *
 * Integers keep all their 64 bits. Text that is not UTF-8 is written as \xNN, so a document is
 * always valid. Keys are kept by reference where the function says so, else copied.
 */
#ifndef TM_JSON_BUILD_H
#define TM_JSON_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idset.h"
#include "lib/base/value.h"

struct tm_json; /* opaque: a builder */

/* A builder whose document is one empty object; NULL: out of memory. */
struct tm_json *tm_json_new(void);
void tm_json_free(struct tm_json *json);
void tm_json_freep(struct tm_json **json);

/* Open and close an object or array. At most 32 deep. */
void tm_json_object(struct tm_json *json, const char *key);
void tm_json_array(struct tm_json *json, const char *key);
void tm_json_end(struct tm_json *json);

void tm_json_null(struct tm_json *json, const char *key);
void tm_json_bool(struct tm_json *json, const char *key, bool value);
void tm_json_u64(struct tm_json *json, const char *key, uint64_t value);
void tm_json_i64(struct tm_json *json, const char *key, int64_t value);
/* A finite number with up to 6 significant decimals; NaN and infinities become null. */
void tm_json_double(struct tm_json *json, const char *key, double value);
/* NULL becomes null. */
void tm_json_string(struct tm_json *json, const char *key, const char *value);
/* The kernel's list form, "" when empty. */
void tm_json_idset(struct tm_json *json, const char *key, const struct tm_idset *set);
/* The value, or null with "<key>_reason" beside it where the reason is known. */
void tm_json_num(struct tm_json *json, const char *key, struct tm_num num);
void tm_json_text(struct tm_json *json, const char *key, const struct tm_text *text);
/* null, with "<key>_reason" where the state has one. */
void tm_json_none(struct tm_json *json, const char *key, enum tm_state state);

/* The whole document and a newline; the caller frees it. 0, -ENOMEM or -EINVAL (unbalanced). */
int tm_json_print(const struct tm_json *json, bool compact, char **text, struct tm_error *err);

#endif
