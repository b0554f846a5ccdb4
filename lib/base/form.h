/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a setting's text means, so that values compare by meaning: a file into which 1 was written
 * may read true, and a list of choices marks the active one with brackets.
 */
#ifndef TM_BASE_FORM_H
#define TM_BASE_FORM_H

#include "lib/base/buf.h"

enum tm_form {
	TM_FORM_TEXT,	/* as it is, white space at the ends aside */
	TM_FORM_NUMBER, /* decimal or 0x: plain decimal */
	TM_FORM_BOOL,	/* as kstrtobool understands it: true or false */
	TM_FORM_CHOICE, /* "always [madvise] never": the word in brackets, or a bare word */
};

/* The word for a form, as journals keep it, and back; -EINVAL for none of ours. */
const char *tm_form_name(enum tm_form form);
int tm_form_parse(const char *name, enum tm_form *form);

/*
 * The normal text of `raw` into *normal (replaced on success). 0, -EINVAL where it has not the
 * form.
 */
int tm_form_normalise(enum tm_form form, const char *raw, struct tm_buf *normal);

#endif
