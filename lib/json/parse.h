/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON strictly (RFC 8259, one document, nothing after it): duplicate keys, invalid UTF-8,
 * NUL, bad numbers and nesting beyond 64 are errors with a line and column. Integers are exact over
 * the whole of int64_t and uint64_t, which plain cJSON (doubles) is not.
 */
#ifndef TM_JSON_PARSE_H
#define TM_JSON_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct tm_jdoc;	  /* a parsed document; owns everything below it */
struct tm_jvalue; /* a value inside one */

enum tm_jtype { TM_JNULL, TM_JBOOL, TM_JNUMBER, TM_JSTRING, TM_JARRAY, TM_JOBJECT };

/*
 * `name` (a file's name) begins error messages. 0, -EINVAL or -ENOMEM; *doc is set on success only.
 */
int tm_jdoc_parse(const char *name, const char *text, size_t len, struct tm_jdoc **doc,
		  struct tm_error *err);
void tm_jdoc_free(struct tm_jdoc *doc);
const struct tm_jvalue *tm_jdoc_root(const struct tm_jdoc *doc);

enum tm_jtype tm_jvalue_type(const struct tm_jvalue *value);

/* Iterate over an array's or object's members; NULL at the end and for other types. */
const struct tm_jvalue *tm_jvalue_first(const struct tm_jvalue *value);
const struct tm_jvalue *tm_jvalue_next(const struct tm_jvalue *value);
/* The member's key, or NULL in an array. */
const char *tm_jvalue_key(const struct tm_jvalue *value);
/* The member of that name, or NULL. */
const struct tm_jvalue *tm_jvalue_get(const struct tm_jvalue *object, const char *key);

/* Typed readings: 0, -EINVAL for another type (or a fraction), -ERANGE when it does not fit. */
int tm_jvalue_u64(const struct tm_jvalue *value, uint64_t *out);
int tm_jvalue_i64(const struct tm_jvalue *value, int64_t *out);
int tm_jvalue_double(const struct tm_jvalue *value, double *out);
int tm_jvalue_bool(const struct tm_jvalue *value, int *out);
/* The text, owned by the document; NULL for another type. */
const char *tm_jvalue_string(const struct tm_jvalue *value);

#endif
