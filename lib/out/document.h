/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head that every JSON document begins with (tiermem-json(5)). */
#ifndef TM_OUT_DOCUMENT_H
#define TM_OUT_DOCUMENT_H

#include <time.h>

#include "lib/json/build.h"

struct tm_identity {
	struct tm_text kernel; /* release, as in uname -r */
	struct tm_text host;
	struct tm_text boot_id;
	const char *root; /* as given; "/" when live */
};

/*
 * Adds "schema": "tiermem.<name>/<version>", "tiermem", "kernel", "host", "boot_id", "root" and
 * "time" (UTC, RFC 3339, whole seconds) to the document, which must be new.
 */
void tm_document_begin(struct tm_json *json, const char *name, int version,
		       const struct tm_identity *identity);
/* The same with another time than that of now. */
void tm_document_begin_at(struct tm_json *json, const char *name, int version,
			  const struct tm_identity *identity, time_t when);

#endif
