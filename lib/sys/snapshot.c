/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/json/parse.h"
#include "lib/sys/archive.h"

#define DOCUMENT_MAX 65536

int tm_snapshot_unpack(int fd, const char *name, struct tm_temp *temp, struct tm_error *err)
{
	/* In memory, as a snapshot is small, unless the user chose a place. */
	static const char *const places[] = { "/dev/shm", "/tmp" };
	const char *chosen = getenv("TMPDIR");
	struct tm_temp made;
	int rc = -ENOENT;

	for (size_t i = 0; i < TM_ARRAY_SIZE(places); i++) {
		const char *place = chosen && *chosen ? chosen : places[i];
		bool next = place == places[i];

		rc = tm_temp_folder(&made, place, err);
		if (!rc) {
			rc = tm_archive_unpack(fd, name, made.fd, &tm_archive_limits, err);
			if (!rc) {
				*temp = made;
				return 0;
			}
			tm_temp_release(&made);
			next = next && (rc == -ENOSPC || rc == -EDQUOT);
		}
		if (!next)
			break;
		if (lseek(fd, 0, SEEK_SET) < 0)
			return tm_error_errno(err, errno, "%s", name);
	}
	return rc;
}

static int refuse(struct tm_error *err, const struct tm_root *root, const char *why)
{
	return tm_error_set(err, EINVAL, "%.300s: " TM_SNAPSHOT_DOCUMENT ": %s", root->name, why);
}

static int take_over(struct tm_root *root, const struct tm_jvalue *top, struct tm_error *err)
{
	const struct tm_jvalue *schema, *name, *size;
	uint64_t page_size = 0;
	char *copy;

	if (tm_jvalue_type(top) != TM_JOBJECT)
		return refuse(err, root, "no object");
	schema = tm_jvalue_get(top, "schema");
	if (!schema || !tm_jvalue_string(schema) ||
	    strcmp(tm_jvalue_string(schema), TM_SNAPSHOT_SCHEMA)) {
		refuse(err, root, "its schema is not " TM_SNAPSHOT_SCHEMA);
		tm_error_hint(err, "it may be of a newer tiermem");
		return -EINVAL;
	}
	name = tm_jvalue_get(top, "root");
	if (!name || !tm_jvalue_string(name) || !*tm_jvalue_string(name))
		return refuse(err, root, "it names no root");
	size = tm_jvalue_get(top, "page_size_bytes");
	if (!size || (tm_jvalue_type(size) != TM_JNULL &&
		      (tm_jvalue_u64(size, &page_size) || page_size < 4096 || page_size > 1048576 ||
		       page_size & (page_size - 1))))
		return refuse(err, root, "its page size cannot be right");
	copy = strdup(tm_jvalue_string(name));
	if (!copy)
		return tm_error_nomem(err);
	free(root->name);
	root->name = copy;
	root->page_size = page_size;
	root->replay = true;
	return 0;
}

int tm_snapshot_identify(struct tm_root *root, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_jdoc *doc = NULL;
	int rc = tm_root_read(root, TM_SNAPSHOT_DOCUMENT, DOCUMENT_MAX, &text);

	if (rc == -ENOENT)
		return 0;
	if (rc)
		return tm_error_errno(err, -rc, "%.300s: " TM_SNAPSHOT_DOCUMENT, root->name);
	rc = tm_jdoc_parse(TM_SNAPSHOT_DOCUMENT, text.data, text.len, &doc, err);
	if (!rc)
		rc = take_over(root, tm_jdoc_root(doc), err);
	tm_jdoc_free(doc);
	tm_buf_release(&text);
	return rc;
}
