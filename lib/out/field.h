/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One table per record: a static list of fields says how a record is shown, and drives the text
 * table, the JSON object and the list of columns alike.
 */
#ifndef TM_OUT_FIELD_H
#define TM_OUT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/idset.h"
#include "lib/base/value.h"
#include "lib/json/build.h"

enum tm_field_type {
	TM_FIELD_TEXT,	 /* cell.text */
	TM_FIELD_NUMBER, /* cell.num */
	TM_FIELD_HEX,	 /* cell.num; hexadecimal in text, a number in JSON */
	TM_FIELD_BYTES,	 /* cell.num; "256G" in text, exact in JSON and raw text */
	TM_FIELD_BOOL,	 /* cell.num 0 or 1; "yes"/"no" in text */
	TM_FIELD_SET,	 /* cell.set; NULL is the empty set */
};

/* What a getter fills in. `state` other than TM_KNOWN: no value, and the reason. */
struct tm_cell {
	enum tm_state state;
	bool approximate; /* a number that does not tell the whole: "~25600" in text */
	union {
		const char *text; /* owned by the record */
		uint64_t num;
		const struct tm_idset *set;
	};
};

struct tm_field {
	const char *key;     /* JSON key, with the unit at its end */
	const char *heading; /* column heading; NULL: only in JSON */
	enum tm_field_type type;
	bool usual;	  /* shown where no --columns chooses */
	bool no_json;	  /* only a column: the JSON says it in another place */
	bool shrink;	  /* may be folded where the table is wider than the terminal */
	const char *help; /* for the list of columns */
	void (*get)(const void *record, struct tm_cell *cell);
};

static inline void tm_cell_num(struct tm_cell *cell, struct tm_num num)
{
	cell->state = num.state;
	cell->num = num.value;
}

static inline void tm_cell_text(struct tm_cell *cell, const struct tm_text *text)
{
	cell->state = text->state;
	cell->text = text->value;
}

/* A text that is always known, or NULL for "nothing says". */
static inline void tm_cell_string(struct tm_cell *cell, const char *text)
{
	cell->state = text ? TM_KNOWN : TM_UNKNOWN;
	cell->text = text;
}

/* Adds every field of the record to the object that is open. */
void tm_field_json(struct tm_json *json, const struct tm_field *fields, size_t nr,
		   const void *record);

/*
 * The cell's text: as people read it, or exact (`raw`: bytes in full). No value is "-", or "n/a"
 * where the kernel or hardware lacks it, "denied", "bad" (malformed), "offline".
 */
void tm_field_text(struct tm_buf *text, const struct tm_field *field, const void *record, bool raw);

/*
 * Chooses columns: a list of headings or keys with commas between, in any case; NULL: the usual
 * ones. Writes indices into chosen[] (room for `nr` * 2). 0; -EINVAL with the unknown name and the
 * list of those there are; -E2BIG.
 */
int tm_field_choose(const struct tm_field *fields, size_t nr, const char *list, size_t *chosen,
		    size_t *nr_chosen, struct tm_error *err);

#endif
