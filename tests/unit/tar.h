/* SPDX-License-Identifier: GPL-2.0-only */
/* Tar archives made by hand, with in them what no sound program writes. */
#ifndef TESTS_UNIT_TAR_H
#define TESTS_UNIT_TAR_H

#include "tests/unit/tree.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/mman.h>

static inline bool have_libarchive(void)
{
	void *handle = dlopen("libarchive.so.13", RTLD_NOW);

	if (handle)
		dlclose(handle);
	return handle != NULL;
}

static inline int memory_file(void)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* POSIX ustar, 4.4. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char magic[8], uname[32], gname[32], major[8], minor[8], prefix[155], pad[12];
};

struct member {
	const char *path;
	char type;	  /* of the header; 0: no more */
	const char *text; /* a link's target or a file's content */
	uint64_t size;	  /* of a file, where it is another than that of its content */
};

#define REG '0'
#define HARD '1'
#define SYM '2'
#define CHR '3'
#define BLK '4'
#define DIRECTORY '5'
#define FIFO '6'

static inline void put(char *field, size_t size, const char *text)
{
	size_t len = strlen(text);

	assert_in_range(len, 0, size - 1);
	memcpy(field, text, len);
}

static inline void put_octal(char *field, size_t digits, uint64_t value)
{
	for (; digits--; value /= 8)
		field[digits] = (char)('0' + value % 8);
}

static inline void add_member(int fd, const struct member *m)
{
	struct header h = { .mode = "0000644",
			    .uid = "0000000",
			    .gid = "0000000",
			    .mtime = "00000000000",
			    .sum = "        ",
			    .type = m->type,
			    .magic = "ustar\0"
				     "0" };
	bool has_content = m->text && (m->type == REG || m->type == 'L' || m->type == 'x');
	size_t len = has_content ? strlen(m->text) : 0, padded = (len + 511) / 512 * 512;
	char *content = calloc(1, padded + 1);
	unsigned sum = 0;

	assert_non_null(content);
	_Static_assert(sizeof(h) == 512, "a block");
	put(h.name, sizeof(h.name), m->path);
	put_octal(h.size, 11, m->size ? m->size : len);
	if (has_content)
		memcpy(content, m->text, len);
	else if (m->text)
		put(h.link, sizeof(h.link), m->text);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((unsigned char *)&h)[i];
	put_octal(h.sum, 6, sum);
	h.sum[6] = '\0';
	assert_int_equal(write(fd, &h, sizeof(h)), sizeof(h));
	assert_int_equal(write(fd, content, padded), padded);
	free(content);
}

static inline int make_archive(const struct member *members)
{
	static const char end[1024];
	int fd = memory_file();

	for (; members->type; members++)
		add_member(fd, members);
	assert_int_equal(write(fd, end, sizeof(end)), sizeof(end));
	return fd;
}

#define SOUND                              \
	{ "sys", DIRECTORY, NULL, 0 },     \
	{                                  \
		"sys/file", REG, "text", 0 \
	}

/* Temporary files and folders in a folder that were not removed. */
static inline int count_temporary(const char *folder)
{
	struct dirent **names;
	int nr = scandir(folder, &names, NULL, NULL), found = 0;

	for (int i = 0; i < nr; i++) {
		found += !strncmp(names[i]->d_name, ".tiermem-", 9);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return found;
}

#endif
