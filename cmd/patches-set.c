/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/patches-set.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/files.h"
#include "lib/base/nearest.h"

#ifndef TIERMEM_DATADIR
#define TIERMEM_DATADIR "/usr/local/share"
#endif
#define BASE "6.12"
#define SERIES "series"
#define SUFFIX ".patch"

#define PATCHES_MAX 256
#define SERIES_MAX (64u << 10)

/* --- where they are --- */

static bool has_series(const char *folder)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/" SERIES, folder) < (int)sizeof(path) &&
	       !access(path, R_OK);
}

/* The name as it is without what leads there. NULL: out of memory. */
static char *clean_name(const char *folder)
{
	char *clean = realpath(folder, NULL);

	return clean ? clean : strdup(folder);
}

static int find_folder(char **folder, struct tm_error *err)
{
	static const char *const places[] = { "/patches/" BASE, "/../patches/" BASE };
	static const char installed[] = TIERMEM_DATADIR "/tiermem/patches/" BASE;
	char self[PATH_MAX], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[TM_MAX(len, 0)] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < TM_ARRAY_SIZE(places); i++) {
		char place[PATH_MAX + 32];

		snprintf(place, sizeof(place), "%.*s%s", (int)(slash - self), self, places[i]);
		if (has_series(place)) {
			*folder = clean_name(place);
			return *folder ? 0 : tm_error_nomem(err);
		}
	}
	if (has_series(installed)) {
		*folder = strdup(installed);
		return *folder ? 0 : tm_error_nomem(err);
	}
	tm_error_set(err, ENOENT, "%s: no patches are there", installed);
	tm_error_hint(err, "`make install` puts them there; --patches DIR takes those of a folder");
	return -ENOENT;
}

/* "6.12" of ".../patches/6.12": two numbers with a dot between. */
static char *base_of(const char *folder)
{
	char clean[PATH_MAX], *slash;
	const char *name;
	size_t major, minor;

	if (!realpath(folder, clean))
		return NULL;
	slash = strrchr(clean, '/');
	name = slash ? slash + 1 : clean;
	major = strspn(name, "0123456789");
	if (!major || name[major] != '.')
		return NULL;
	minor = strspn(name + major + 1, "0123456789");
	return minor && !name[major + 1 + minor] ? strdup(name) : NULL;
}

/* --- reading --- */

/* A plain name of a file in the folder. */
static const char *name_fault(const char *name, size_t len)
{
	if (len >= NAME_MAX)
		return "is too long for a name";
	if (memchr(name, '/', len) || *name == '.' || *name == '-')
		return "is no plain name of a file in this folder";
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]))
			return "has blanks or unprintable bytes in it";
	if (len <= strlen(SUFFIX) || memcmp(name + len - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)))
		return "does not end in " SUFFIX;
	return NULL;
}

static int read_patch(struct patch_set *set, const char *name, size_t len, struct tm_error *err)
{
	struct tm_buf text = TM_BUF_INIT, path = TM_BUF_INIT;
	struct patch *patch;
	int rc = tm_array_grow(&set->patches, set->nr, &set->cap, sizeof(*set->patches));

	if (rc)
		return tm_error_nomem(err);
	patch = &set->patches[set->nr++];
	patch->name = strndup(name, len - strlen(SUFFIX));
	tm_buf_addf(&path, "%s/%.*s", set->folder, (int)len, name);
	rc = patch->name && !path.failed ? file_read(tm_buf_str(&path), TM_DIFF_BYTES, &text, err) :
					   tm_error_nomem(err);
	if (!rc)
		rc = tm_diff_parse(tm_buf_str(&path), tm_buf_str(&text), text.len, &patch->diff,
				   err);
	tm_buf_release(&text);
	tm_buf_release(&path);
	return rc;
}

static bool is_listed(const struct patch_set *set, const char *name, size_t len)
{
	for (size_t i = 0; i < set->nr; i++)
		if (strlen(set->patches[i].name) + strlen(SUFFIX) == len &&
		    !strncmp(set->patches[i].name, name, len - strlen(SUFFIX)))
			return true;
	return false;
}

/* A line of the series: empty, a comment, or a patch's name. */
static int series_line(struct patch_set *set, const char *path, size_t number, const char *line,
		       size_t len, struct tm_error *err)
{
	const char *fault;

	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	if (!len || *line == '#')
		return 0;
	fault = set->nr == PATCHES_MAX ? "is one patch too many" : name_fault(line, len);
	if (!fault && is_listed(set, line, len))
		fault = "is there twice";
	if (fault)
		return tm_error_set(err, EBADMSG, "%s:%zu: '%.*s' %s", path, number,
				    (int)TM_MIN(len, (size_t)100), line, fault);
	return read_patch(set, line, len, err);
}

static int read_series(struct patch_set *set, struct tm_error *err)
{
	struct tm_buf path = TM_BUF_INIT, text = TM_BUF_INIT;
	size_t number = 1;
	int rc;

	tm_buf_addf(&path, "%s/" SERIES, set->folder);
	rc = path.failed ? tm_error_nomem(err) :
			   file_read(tm_buf_str(&path), SERIES_MAX, &text, err);
	for (const char *line = tm_buf_str(&text); !rc && *line; number++) {
		size_t len = strcspn(line, "\n");

		rc = series_line(set, tm_buf_str(&path), number, line, len, err);
		line += len + (line[len] == '\n');
	}
	if (!rc && !set->nr)
		rc = tm_error_set(err, EBADMSG, "%s: lists no patch", tm_buf_str(&path));
	tm_buf_release(&path);
	tm_buf_release(&text);
	return rc;
}

int patch_set_read(struct patch_set *set, const struct app *app, struct tm_error *err)
{
	const char *folder = app_option(app, "patches");
	int rc = 0;

	*set = (struct patch_set){ 0 };
	if (folder)
		set->folder = strdup(folder);
	else
		rc = find_folder(&set->folder, err);
	if (rc)
		return rc;
	if (!set->folder)
		return tm_error_nomem(err);
	set->base = base_of(set->folder);
	rc = read_series(set, err);
	if (rc == -ENOENT && folder)
		tm_error_hint(err, "--patches takes a folder with patches and a file " SERIES);
	return rc;
}

void patch_set_release(struct patch_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		free(set->patches[i].name);
		tm_diff_release(&set->patches[i].diff);
	}
	free(set->patches);
	free(set->folder);
	free(set->base);
	*set = (struct patch_set){ 0 };
}

/* --- choosing --- */

size_t patch_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return name[digits] == '-' ? digits : 0;
}

static bool is_meant(const struct patch *patch, const char *word)
{
	size_t len = strlen(patch->name), number = patch_number(patch->name);

	if (!strncmp(word, patch->name, len) && (!word[len] || !strcmp(word + len, SUFFIX)))
		return true;
	return number && strlen(word) == number && !strncmp(word, patch->name, number);
}

static int no_patch(const struct patch_set *set, const char *word, struct tm_error *err)
{
	struct tm_nearest nearest = { .word = word, .len = strlen(word) };

	for (size_t i = 0; i < set->nr; i++)
		tm_nearest_try(&nearest, set->patches[i].name);
	tm_error_set(err, EINVAL, "'%.100s' is no patch of %s", word, set->folder);
	if (nearest.best)
		tm_error_hint(err, "did you mean %s?", nearest.best);
	else
		tm_error_hint(err, "`tiermem patches list` lists them; a number is enough, as %.*s",
			      (int)patch_number(set->patches->name), set->patches->name);
	return -EINVAL;
}

int patch_set_choose(struct patch_set *set, char *const *names, struct tm_error *err)
{
	for (size_t i = 0; i < set->nr; i++)
		set->patches[i].chosen = !*names;
	for (; *names; names++) {
		bool found = false;

		for (size_t i = 0; i < set->nr; i++) {
			if (!is_meant(&set->patches[i], *names))
				continue;
			set->patches[i].chosen = found = true;
		}
		if (!found)
			return no_patch(set, *names, err);
	}
	return 0;
}
