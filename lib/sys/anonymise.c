/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/anonymise.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_FILE "proc/sys/kernel/hostname"

/* 8-4-4-4-12 digits. */
#define UUID_LENGTH 36

/* What was replaced, and by which number. */
struct stand_in {
	char *original;
	unsigned number;
};

struct scrub {
	void *known; /* tree of struct stand_in */
	unsigned count;
	bool failed;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct stand_in *)a)->original,
		      ((const struct stand_in *)b)->original);
}

static void free_stand_in(void *stand_in)
{
	free(((struct stand_in *)stand_in)->original);
	free(stand_in);
}

/* 1, 2, 3… in the order in which they are first seen. */
static unsigned number_of(struct scrub *scrub, const char *original, size_t len)
{
	struct stand_in *new = calloc(1, sizeof(*new)), **found = NULL;

	if (new) {
		new->original = strndup(original, len);
		for (char *c = new->original; c &&*c; c++)
			*c = (char)tolower((unsigned char)*c);
		if (new->original)
			found = tsearch(new, &scrub->known, compare);
	}
	if (!found) {
		if (new)
			free_stand_in(new);
		scrub->failed = true;
		return 0;
	}
	if (*found == new)
		new->number = ++scrub->count;
	else
		free_stand_in(new);
	return (*found)->number;
}

static bool is_uuid(const char *text)
{
	for (int i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return !isxdigit((unsigned char)text[UUID_LENGTH]);
}

/* Pairs of digits with one kind of separator between: their number from here on. */
static size_t count_pairs(const char *text, char separator)
{
	size_t nr = 0;

	while (isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1])) {
		nr++;
		if (text[2] != separator)
			return isalnum((unsigned char)text[2]) ? nr - 1 : nr;
		text += 3;
	}
	return nr;
}

static void replace_uuid(struct scrub *scrub, char *text)
{
	char stand_in[UUID_LENGTH + 16];

	/* The null UUID means that there is none. */
	if (strspn(text, "0-") >= UUID_LENGTH)
		return;
	snprintf(stand_in, sizeof(stand_in), "00000000-0000-4000-8000-%012x",
		 number_of(scrub, text, UUID_LENGTH));
	memcpy(text, stand_in, UUID_LENGTH);
}

/* 02:…: "locally administered". Ethernet has 6 pairs, BOOTIF= 7, EUI-64 8, InfiniBand 20. */
static void replace_address(struct scrub *scrub, char *text, size_t pairs)
{
	unsigned number = number_of(scrub, text, pairs * 3 - 1);
	char pair[3];

	for (size_t i = 0; i < pairs; i++) {
		size_t shift = (pairs - 1 - i) * 8;

		snprintf(pair, sizeof(pair), "%02x",
			 !i	    ? 2 :
			 shift < 32 ? (number >> shift) & 0xff :
				      0);
		memcpy(text + i * 3, pair, 2);
	}
}

/* What is known by its form, in place. */
static void scrub_forms(struct scrub *scrub, char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t pairs;

		if (!isxdigit((unsigned char)text[i]) ||
		    (i && isxdigit((unsigned char)text[i - 1])))
			continue;
		if (size - i >= UUID_LENGTH && is_uuid(text + i)) {
			replace_uuid(scrub, text + i);
			i += UUID_LENGTH - 1;
			continue;
		}
		if (!text[i + 1] || (text[i + 2] != ':' && text[i + 2] != '-'))
			continue;
		pairs = count_pairs(text + i, text[i + 2]);
		if (pairs >= 6) {
			replace_address(scrub, text + i, pairs);
			i += pairs * 3 - 2;
		}
	}
}

static int set_data(struct tm_entry *entry, const char *data, size_t size)
{
	char *copy = strndup(data, size);

	if (!copy)
		return -ENOMEM;
	free(entry->data);
	entry->data = copy;
	entry->size = size;
	return 0;
}

/* A file that holds one number or text: the same form with our number in it. */
static int scrub_serial(struct scrub *scrub, struct tm_entry *entry)
{
	size_t len = entry->size;
	char text[32];
	unsigned number;

	while (len && isspace((unsigned char)entry->data[len - 1]))
		len--;
	/* Nothing, or 0, tells nothing. */
	if (!len || strspn(entry->data, "0x") >= len)
		return 0;
	number = number_of(scrub, entry->data, len);
	if (!strncmp(entry->data, "0x", 2))
		snprintf(text, sizeof(text), "%#x\n", number);
	else if (strspn(entry->data, "0123456789abcdefABCDEF") >= len)
		snprintf(text, sizeof(text), "%u\n", number);
	else
		snprintf(text, sizeof(text), "anonymous-%u\n", number);
	return set_data(entry, text, strlen(text));
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* A whole word, wherever it stands. */
static int scrub_word(struct tm_entry *entry, const char *word)
{
	struct tm_buf buf = TM_BUF_INIT;
	size_t len = strlen(word);
	int rc = 0;

	for (const char *at = entry->data; *at;) {
		bool start = at == entry->data || !in_word(at[-1]);

		if (start && !strncasecmp(at, word, len) && !in_word(at[len])) {
			tm_buf_adds(&buf, TM_ANONYMOUS_HOST);
			at += len;
		} else {
			tm_buf_addc(&buf, *at++);
		}
	}
	if (buf.failed || set_data(entry, tm_buf_str(&buf), buf.len))
		rc = -ENOMEM;
	tm_buf_release(&buf);
	return rc;
}

/* Text that people chose; the kernel's own would be damaged by a host called "node0". */
static bool is_free_text(const char *path)
{
	static const char *const files[] = { HOST_FILE, "proc/cmdline", "proc/version" };

	for (size_t i = 0; i < TM_ARRAY_SIZE(files); i++)
		if (!strcmp(path, files[i]))
			return true;
	return false;
}

static bool is_serial(const char *path)
{
	static const char *const names[] = { "/serial", "/serial_number", "/ppin", "/unique_id" };
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < TM_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The host's name, and without its domain. NULL: unknown. */
static int find_host(struct tm_entry *const *list, size_t nr, char **full, char **label)
{
	*full = *label = NULL;
	for (size_t i = 0; i < nr; i++) {
		size_t len;

		if (strcmp(list[i]->path, HOST_FILE) || !list[i]->data)
			continue;
		len = strcspn(list[i]->data, " \t\n");
		if (!len)
			continue;
		*full = strndup(list[i]->data, len);
		*label = strndup(list[i]->data, strcspn(list[i]->data, ". \t\n"));
		return *full && *label ? 0 : -ENOMEM;
	}
	return 0;
}

static int scrub_file(struct scrub *scrub, struct tm_entry *entry, const char *full,
		      const char *label)
{
	int rc;

	/* Tables have neither names nor serial numbers in text. */
	if (!entry->size || memchr(entry->data, '\0', entry->size))
		return 0;
	if (is_serial(entry->path))
		return scrub_serial(scrub, entry);
	if (is_free_text(entry->path)) {
		rc = full ? scrub_word(entry, full) : 0;
		if (!rc && label && *label)
			rc = scrub_word(entry, label);
		if (rc)
			return rc;
	}
	scrub_forms(scrub, entry->data, entry->size);
	return scrub->failed ? -ENOMEM : 0;
}

int tm_anonymise(struct tm_entry *const *list, size_t nr, struct tm_error *err)
{
	struct scrub scrub = { 0 };
	char *full, *label;
	int rc = find_host(list, nr, &full, &label);

	for (size_t i = 0; !rc && i < nr; i++)
		if (list[i]->kind == TM_ENTRY_FILE)
			rc = scrub_file(&scrub, list[i], full, label);
	tdestroy(scrub.known, free_stand_in);
	free(full);
	free(label);
	return rc ? tm_error_nomem(err) : 0;
}
