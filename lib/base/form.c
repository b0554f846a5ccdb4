/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/form.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "lib/base/units.h"

static const char *const names[] = {
	[TM_FORM_TEXT] = "text",
	[TM_FORM_NUMBER] = "number",
	[TM_FORM_BOOL] = "bool",
	[TM_FORM_CHOICE] = "choice",
};

const char *tm_form_name(enum tm_form form)
{
	return names[form];
}

int tm_form_parse(const char *name, enum tm_form *form)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name)) {
			*form = (enum tm_form)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* lib/kstrtox.c: the first letter decides, and the second after o. */
static const char *bool_text(const char *s, size_t len)
{
	if (!len)
		return NULL;
	if (strchr("yYtT1", s[0]))
		return "true";
	if (strchr("nNfF0", s[0]))
		return "false";
	if (len > 1 && (s[0] == 'o' || s[0] == 'O')) {
		if (s[1] == 'n' || s[1] == 'N')
			return "true";
		if (s[1] == 'f' || s[1] == 'F')
			return "false";
	}
	return NULL;
}

static int add_choice(const char *s, size_t len, struct tm_buf *normal)
{
	const char *open = memchr(s, '[', len), *close;

	if (!open) {
		/* Written text is a bare word. */
		for (size_t i = 0; i < len; i++)
			if (isspace((unsigned char)s[i]))
				return -EINVAL;
		tm_buf_add(normal, s, len);
		return len ? 0 : -EINVAL;
	}
	close = memchr(open, ']', len - (size_t)(open - s));
	if (!close || close == open + 1)
		return -EINVAL;
	tm_buf_add(normal, open + 1, (size_t)(close - open - 1));
	return 0;
}

int tm_form_normalise(enum tm_form form, const char *raw, struct tm_buf *normal)
{
	struct tm_buf made = TM_BUF_INIT;
	const char *word;
	uint64_t number;
	size_t len;
	int rc = 0;

	while (isspace((unsigned char)*raw))
		raw++;
	len = strlen(raw);
	while (len && isspace((unsigned char)raw[len - 1]))
		len--;
	switch (form) {
	case TM_FORM_TEXT:
		tm_buf_add(&made, raw, len);
		break;
	case TM_FORM_NUMBER:
		rc = tm_parse_u64(raw, &number);
		if (!rc)
			tm_buf_addf(&made, "%" PRIu64, number);
		break;
	case TM_FORM_BOOL:
		word = bool_text(raw, len);
		if (word)
			tm_buf_adds(&made, word);
		else
			rc = -EINVAL;
		break;
	case TM_FORM_CHOICE:
		rc = add_choice(raw, len, &made);
		break;
	}
	if (!rc && made.failed)
		rc = -ENOMEM;
	if (rc) {
		tm_buf_release(&made);
		return rc == -ENOMEM ? rc : -EINVAL;
	}
	tm_buf_release(normal);
	*normal = made;
	return 0;
}
