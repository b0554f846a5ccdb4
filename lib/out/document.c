/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/out/document.h"

#include <stdio.h>

#ifndef TIERMEM_VERSION
#error "the Makefile passes TIERMEM_VERSION"
#endif

void tm_document_begin(struct tm_json *json, const char *name, int version,
		       const struct tm_identity *identity)
{
	tm_document_begin_at(json, name, version, identity, time(NULL));
}

void tm_document_begin_at(struct tm_json *json, const char *name, int version,
			  const struct tm_identity *identity, time_t when)
{
	char schema[64], stamp[32];
	struct tm tm;

	snprintf(schema, sizeof(schema), "tiermem.%s/%d", name, version);
	tm_json_string(json, "schema", schema);
	tm_json_string(json, "tiermem", TIERMEM_VERSION);
	tm_json_text(json, "kernel", &identity->kernel);
	tm_json_text(json, "host", &identity->host);
	tm_json_text(json, "boot_id", &identity->boot_id);
	tm_json_string(json, "root", identity->root);
	gmtime_r(&when, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	tm_json_string(json, "time", stamp);
}
