/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/out/field.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "lib/base/units.h"

void tm_field_json(struct tm_json *json, const struct tm_field *fields, size_t nr,
		   const void *record)
{
	static const struct tm_idset nothing = TM_IDSET_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct tm_field *field = &fields[i];
		struct tm_cell cell = { .state = TM_UNKNOWN };

		if (field->no_json)
			continue;
		field->get(record, &cell);
		if (cell.state != TM_KNOWN) {
			tm_json_none(json, field->key, cell.state);
			continue;
		}
		switch (field->type) {
		case TM_FIELD_TEXT:
			tm_json_string(json, field->key, cell.text);
			break;
		case TM_FIELD_NUMBER:
		case TM_FIELD_HEX:
		case TM_FIELD_BYTES:
			tm_json_u64(json, field->key, cell.num);
			break;
		case TM_FIELD_BOOL:
			tm_json_bool(json, field->key, cell.num != 0);
			break;
		case TM_FIELD_SET:
			tm_json_idset(json, field->key, cell.set ? cell.set : &nothing);
			break;
		}
	}
}

static const char *no_value(enum tm_state state)
{
	switch (state) {
	case TM_UNSUPPORTED:
		return "n/a";
	case TM_DENIED:
		return "denied";
	case TM_MALFORMED:
		return "bad";
	case TM_OFFLINE:
		return "offline";
	default:
		return "-";
	}
}

void tm_field_text(struct tm_buf *text, const struct tm_field *field, const void *record, bool raw)
{
	struct tm_cell cell = { .state = TM_UNKNOWN };
	char units[TM_UNITS_MAX];
	char *list;

	field->get(record, &cell);
	if (cell.state != TM_KNOWN) {
		tm_buf_adds(text, no_value(cell.state));
		return;
	}
	if (cell.approximate)
		tm_buf_addc(text, '~');
	switch (field->type) {
	case TM_FIELD_TEXT:
		if (cell.text && *cell.text)
			tm_buf_add_printable(text, cell.text, strlen(cell.text));
		else
			tm_buf_adds(text, "-");
		break;
	case TM_FIELD_BYTES:
		if (!raw) {
			tm_buf_adds(text, tm_format_bytes(units, cell.num));
			break;
		}
		/* fallthrough */
	case TM_FIELD_NUMBER:
		tm_buf_addf(text, "%" PRIu64, cell.num);
		break;
	case TM_FIELD_HEX:
		tm_buf_addf(text, "0x%" PRIx64, cell.num);
		break;
	case TM_FIELD_BOOL:
		tm_buf_adds(text, cell.num ? "yes" : "no");
		break;
	case TM_FIELD_SET:
		if (!cell.set || tm_idset_empty(cell.set)) {
			tm_buf_adds(text, "-");
			break;
		}
		list = tm_idset_format(cell.set);
		if (list)
			tm_buf_adds(text, list);
		else
			text->failed = true;
		tm_freep(&list);
		break;
	}
}

static int find(const struct tm_field *fields, size_t nr, const char *name, size_t len,
		size_t *found)
{
	for (size_t i = 0; i < nr; i++) {
		const char *heading = fields[i].heading;

		if (!heading)
			continue;
		if ((strlen(heading) == len && !strncasecmp(heading, name, len)) ||
		    (strlen(fields[i].key) == len && !strncasecmp(fields[i].key, name, len))) {
			*found = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int unknown(const struct tm_field *fields, size_t nr, const char *name, size_t len,
		   struct tm_error *err)
{
	struct tm_buf all = TM_BUF_INIT;

	for (size_t i = 0; i < nr; i++)
		if (fields[i].heading)
			tm_buf_addf(&all, "%s%s", all.len ? "," : "", fields[i].heading);
	tm_error_set(err, EINVAL, "--columns: there is no column '%.*s'", (int)len, name);
	tm_error_hint(err, "columns: %s", tm_buf_str(&all));
	tm_buf_release(&all);
	return -EINVAL;
}

int tm_field_choose(const struct tm_field *fields, size_t nr, const char *list, size_t *chosen,
		    size_t *nr_chosen, struct tm_error *err)
{
	size_t count = 0, index;

	for (size_t i = 0; !list && i < nr; i++)
		if (fields[i].heading && fields[i].usual)
			chosen[count++] = i;
	for (const char *name = list; name; name = *name ? name + 1 : NULL) {
		size_t len = strcspn(name, ",");

		if (find(fields, nr, name, len, &index))
			return unknown(fields, nr, name, len, err);
		if (count >= nr * 2)
			return tm_error_set(err, E2BIG, "--columns: too many columns");
		chosen[count++] = index;
		name += len;
		if (!*name)
			break;
	}
	*nr_chosen = count;
	return 0;
}
