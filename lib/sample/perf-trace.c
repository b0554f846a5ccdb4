/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/perf-trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"

#define FILE_MAX ((size_t)64 << 10)

static const char *const folders[] = {
	"sys/kernel/tracing/events",
	"sys/kernel/debug/tracing/events", /* before 4.1, and where debugfs is mounted alone */
};

/* Why the file could not be read. */
static enum tm_state explain(const struct tm_root *root, int rc, const char *group,
			     const char *name, struct tm_error *err)
{
	if (rc == -EACCES || rc == -EPERM) {
		tm_error_set(err, -rc, "tracepoint %s:%s: permission denied", group, name);
		tm_error_hint(err, "tracefs is for root alone, unless it is mounted otherwise");
		return TM_DENIED;
	}
	if (rc != -ENOENT) {
		tm_error_errno(err, -rc, "tracepoint %s:%s", group, name);
		return tm_state_from_errno(-rc);
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(folders); i++)
		if (tm_root_exists(root, folders[i])) {
			tm_error_set(err, ENOSYS, "this kernel has no tracepoint %s:%s", group,
				     name);
			return TM_UNSUPPORTED;
		}
	tm_error_set(err, ENOENT, "tracepoint %s:%s: tracefs is not mounted", group, name);
	tm_error_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return TM_ABSENT;
}

/* A positive number and nothing else. */
static bool take_id(const char *text, uint64_t *id)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*id = strtoull(text, &end, 10);
	return !errno && *id && (!*end || !strcmp(end, "\n"));
}

enum tm_state tm_tracepoint_find(const struct tm_root *root, const char *group, const char *name,
				 struct tm_tracepoint *tracepoint, struct tm_error *err)
{
	struct tm_tracepoint found = { 0 };
	struct tm_buf text = TM_BUF_INIT;
	enum tm_state state = TM_KNOWN;
	int rc = -ENOENT, first = 0;

	for (size_t i = 0; i < TM_ARRAY_SIZE(folders) && rc; i++) {
		char path[TM_PATH_MAX];

		rc = tm_path_format(path, "%s/%s/%s/id", folders[i], group, name);
		if (!rc)
			rc = tm_root_read(root, path, FILE_MAX, &text);
		if (!rc && !take_id(tm_buf_str(&text), &found.id))
			rc = -EINVAL;
		if (!rc)
			rc = tm_path_format(path, "%s/%s/%s/format", folders[i], group, name);
		if (!rc)
			rc = tm_root_read(root, path, FILE_MAX, &text);
		/* That one is closed says more than that another is not there. */
		if (rc && (!first || first == -ENOENT))
			first = rc;
	}
	if (rc) {
		state = explain(root, first, group, name, err);
	} else {
		found.format = tm_buf_detach(&text);
		if (!found.format)
			found.format = strdup("");
		*tracepoint = found;
	}
	tm_buf_release(&text);
	return state;
}

void tm_tracepoint_release(struct tm_tracepoint *tracepoint)
{
	free(tracepoint->format);
	*tracepoint = (struct tm_tracepoint){ 0 };
}

/* "field:unsigned long pages;	offset:16;	size:8;	signed:0;" */
size_t tm_tracepoint_field_size(const struct tm_tracepoint *tracepoint, const char *field)
{
	size_t len = strlen(field);

	for (const char *line = tracepoint->format; line && *line;) {
		const char *end = strchrnul(line, '\n'),
			   *semicolon = memchr(line, ';', (size_t)(end - line));
		const char *size = semicolon ? strstr(semicolon, "\tsize:") : NULL;

		if (size && size < end && (size_t)(semicolon - line) > len &&
		    !memcmp(semicolon - len, field, len) &&
		    isspace((unsigned char)semicolon[-(long)len - 1]))
			return strtoul(size + strlen("\tsize:"), NULL, 10);
		line = *end ? end + 1 : end;
	}
	return 0;
}
