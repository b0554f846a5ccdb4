/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures of firmware tables as data: one static list of fields says what a structure holds, and
 * drives the text, the JSON, the checks and the typed readings (hmat.h, srat.h, ...) alike.
 */
#ifndef TM_ACPI_FIELD_H
#define TM_ACPI_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/acpi/cursor.h"
#include "lib/base/buf.h"
#include "lib/json/build.h"

enum tm_acpi_kind {
	TM_ACPI_NUMBER = 0, /* decimal */
	TM_ACPI_HEX,	    /* an identifier or a mask */
	TM_ACPI_ADDRESS,    /* physical */
	TM_ACPI_SIZE,	    /* bytes */
	TM_ACPI_CHOICE,	    /* one of the values that have a name */
	TM_ACPI_FLAGS,	    /* bits that have names; the others must be 0 */
	TM_ACPI_MUST_BE_ZERO,
	TM_ACPI_STRING,	 /* padded with blanks or NUL */
	TM_ACPI_BYTES,	 /* of no known form */
	TM_ACPI_LIST,	 /* numbers of one kind */
	TM_ACPI_MATRIX,	 /* the same, in rows */
	TM_ACPI_RECORDS, /* each with fields of its own */
};

/* A value's or a bit's name. Lists end with a NULL name. */
struct tm_acpi_name {
	uint32_t value;
	const char *name;
};

struct tm_acpi_field {
	const char *key;   /* for JSON, with the unit at its end */
	const char *label; /* as the specification calls it */
	const struct tm_acpi_name *names;
	/* Lists. The number of elements (rows) is `fixed`, or in the field `rows`, or what fits. */
	const char *rows;
	const char *columns;		    /* of a matrix */
	const struct tm_acpi_field *fields; /* of records */
	size_t nr_fields;
	enum tm_acpi_kind kind;
	enum tm_acpi_kind element; /* of a list */
	uint16_t offset; /* in the structure; 0 for a list: where the list before it ends */
	uint16_t size;	 /* bytes of the value, or of an element */
	uint16_t fixed;
	uint8_t shift; /* with `bits`: a part of these bytes */
	uint8_t bits;  /* 0: all of them */
};

/* For the static lists: FIELD("base_address", "Base Address", 8, 8, ADDRESS, .more = ...) */
#define TM_ACPI_FIELD(key_, label_, offset_, size_, kind_, ...)                           \
	{                                                                                 \
		.key = key_, .label = label_, .kind = TM_ACPI_##kind_, .offset = offset_, \
		.size = size_, __VA_ARGS__                                                \
	}

/* A kind of structure: of this type, in tables of these revisions. */
struct tm_acpi_struct {
	uint32_t type;
	const char *key;
	const char *label;
	uint16_t size; /* without its lists of no fixed length */
	uint8_t from_revision;
	uint8_t to_revision; /* 0: any later one */
	/* With variant_at: only where the byte there is `variant`. */
	uint8_t variant_at;
	uint8_t variant;
	const struct tm_acpi_field *fields;
	size_t nr_fields;
};

#define TM_ACPI_FIELDS(list) .fields = list, .nr_fields = TM_ARRAY_SIZE(list)
#define TM_ACPI_STRUCT(type_, key_, label_, size_, list, ...)                                     \
	{                                                                                         \
		.type = type_, .key = key_, .label = label_, .size = size_, TM_ACPI_FIELDS(list), \
		__VA_ARGS__                                                                       \
	}

/* A field as it is in one structure. */
struct tm_acpi_value {
	const struct tm_acpi_field *field;
	size_t offset; /* in the table */
	size_t size;   /* bytes there */
	const uint8_t *bytes;
	uint64_t number;  /* single values of up to 8 bytes */
	uint64_t count;	  /* lists: elements that are there */
	uint64_t wanted;  /* lists: elements that the structure says it has */
	uint64_t columns; /* of a matrix */
};

/* Goes over the fields of a structure or record. Ends early where the structure does. */
struct tm_acpi_iter {
	struct tm_cursor part;
	const struct tm_acpi_field *fields;
	size_t nr;
	size_t index; /* of the next field */
	size_t next;  /* in the part: where the last list ended */
	size_t end;   /* in the part: where the last of all the fields so far ended */
	bool lost;    /* a list was cut short: what comes after it cannot be placed */
};

bool tm_acpi_iter_next(struct tm_acpi_iter *iter, struct tm_acpi_value *value);

/* The field of that key, wherever the iteration is; false where there is none. */
bool tm_acpi_iter_find(struct tm_acpi_iter iter, const char *key, struct tm_acpi_value *value);

/* The fields of the i-th record of TM_ACPI_RECORDS. */
struct tm_acpi_iter tm_acpi_record(const struct tm_acpi_value *records, uint64_t i);

/* The i-th element of a list, or of a matrix row by row; i < count. */
uint64_t tm_acpi_element(const struct tm_acpi_value *list, uint64_t i);

/* The name of a number, NULL where there is none. For flags: of bit `number`. */
const char *tm_acpi_name_of(const struct tm_acpi_field *field, uint64_t number);

/* Bits that are set and have no name. */
uint64_t tm_acpi_unnamed_bits(const struct tm_acpi_value *value);

/* Must it be zero, and is not? */
bool tm_acpi_not_zero(const struct tm_acpi_value *value);

/*
 * The value as people read it: "0x1 (enabled)", "3 (access bandwidth)", "64K"; `raw` gives sizes in
 * full. A matrix has one line a row; records give their number only.
 */
void tm_acpi_value_text(struct tm_buf *text, const struct tm_acpi_value *value, bool raw);

/*
 * Adds the value to the open object: numbers, "<key>_name" beside a choice, "<key>_set" (names of
 * bits) beside flags, arrays for lists (of arrays for a matrix, of objects for records). What must
 * be zero and is, is left out.
 */
void tm_acpi_value_json(struct tm_json *json, const struct tm_acpi_value *value);

#endif
