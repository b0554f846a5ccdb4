/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/entry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The next component of *path, which goes on behind it; 0 at the end. */
static size_t next_part(const char **path, const char **part)
{
	size_t len;

	*part = *path + strspn(*path, "/");
	len = strcspn(*part, "/");
	*path = *part + len;
	return len;
}

static bool is(const char *part, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(part, word, len);
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

const char *tm_entry_path_fault(const char *path)
{
	const char *part;
	size_t len, depth = 0;

	if (!*path)
		return "empty path";
	if (*path == '/')
		return "absolute path";
	if (strlen(path) >= TM_PATH_MAX)
		return "path too long";
	if (has_control(path))
		return "control character in its name";
	while ((len = next_part(&path, &part))) {
		if (is(part, len, ".."))
			return "\"..\" in its path";
		if (++depth > TM_SNAPSHOT_DEPTH)
			return "folders too deep";
	}
	return NULL;
}

/* How many folders a path lies below the root. */
static long depth_of(const char *path)
{
	const char *part;
	long depth = -1;

	while (next_part(&path, &part))
		depth++;
	return depth;
}

const char *tm_entry_link_fault(const char *path, const char *target)
{
	long depth = depth_of(path);
	const char *part;
	size_t len;

	if (!*target)
		return "link to nothing";
	if (*target == '/')
		return "absolute link";
	if (strlen(target) >= TM_PATH_MAX)
		return "link too long";
	if (has_control(target))
		return "control character in a link";
	while ((len = next_part(&target, &part))) {
		if (is(part, len, ".."))
			depth--;
		else if (!is(part, len, "."))
			depth++;
		if (depth < 0)
			return "link that leads outside";
	}
	return NULL;
}

int tm_entry_link_clean(const char *path, const char *target, char clean[TM_PATH_MAX])
{
	long depth = depth_of(path);
	struct tm_buf buf = TM_BUF_INIT;
	const char *part;
	size_t len;
	int rc = 0;

	if (!tm_entry_link_fault(path, target)) {
		strcpy(clean, target);
		return 0;
	}
	if (*target == '/')
		for (; depth > 0; depth--)
			tm_buf_adds(&buf, "../");
	while ((len = next_part(&target, &part))) {
		bool up = is(part, len, "..");

		/* Above the root is the root. */
		if (is(part, len, ".") || (up && !depth))
			continue;
		depth += up ? -1 : 1;
		tm_buf_add(&buf, part, len);
		tm_buf_addc(&buf, '/');
	}
	if (buf.len)
		buf.data[--buf.len] = '\0';
	else
		tm_buf_addc(&buf, '.');
	if (buf.failed || buf.len >= TM_PATH_MAX || has_control(buf.data))
		rc = -ENAMETOOLONG;
	else
		strcpy(clean, buf.data);
	tm_buf_release(&buf);
	return rc;
}

size_t tm_stand_in_format(char text[TM_STAND_IN_MAX], int number)
{
	const char *name = strerrorname_np(number);

	text[0] = '\0';
	return 1 + (size_t)snprintf(text + 1, TM_STAND_IN_MAX - 1, "%s\n", name ? name : "EIO");
}

int tm_stand_in_parse(const char *text, size_t len)
{
	if (len < 3 || len >= TM_STAND_IN_MAX || text[0] || text[len - 1] != '\n')
		return 0;
	for (int number = 1; number < 200; number++) {
		const char *name = strerrorname_np(number);

		if (name && strlen(name) == len - 2 && !memcmp(name, text + 1, len - 2))
			return number;
	}
	return 0;
}
