/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"

#define FIRST_CAP ((size_t)16 << 10)
#define PART_CAP ((size_t)256 << 10)
#define WHOLE_MAX ((size_t)16 << 20)

void tm_file_open(struct tm_file *file, const struct tm_root *root, const char *path)
{
	int fd = tm_root_openat(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	*file = (struct tm_file){
		.root = root,
		.fd = fd < 0 ? -1 : fd,
		.state = fd < 0 ? tm_state_from_errno(-fd) : TM_KNOWN,
	};
}

void tm_file_close(struct tm_file *file)
{
	if (file->root && file->fd >= 0)
		file->root->io->close(file->root->io_context, file->fd);
	free(file->data);
	*file = (struct tm_file){ .fd = -1 };
}

/* Room for more than what is there, and a NUL; `least` in all. */
static int make_room(struct tm_file *file, size_t least)
{
	size_t cap = TM_MAX(file->cap, least);
	char *data;

	if (file->len + 1 < file->cap && file->cap >= least)
		return 0;
	while (cap <= file->len + 1)
		cap *= 2;
	data = realloc(file->data, cap);
	if (!data)
		return -ENOMEM;
	file->data = data;
	file->cap = cap;
	return 0;
}

/* One pread behind what is there. */
static ssize_t read_more(struct tm_file *file, size_t least, off_t offset)
{
	ssize_t n = make_room(file, least);

	if (n)
		return n;
	n = file->root->io->pread(file->root->io_context, file->fd, file->data + file->len,
				  file->cap - file->len - 1, offset);
	if (n > 0)
		file->len += (size_t)n;
	file->data[file->len] = '\0';
	return n;
}

static int not_open(const struct tm_file *file)
{
	switch (file->state) {
	case TM_KNOWN:
		return 0;
	case TM_DENIED:
		return -EACCES;
	case TM_ABSENT:
		return -ENOENT;
	default:
		return -EIO;
	}
}

int tm_file_read(struct tm_file *file)
{
	ssize_t n = not_open(file);

	if (n)
		return (int)n;
	file->len = 0;
	do {
		if (file->len >= WHOLE_MAX)
			return -EFBIG;
		n = read_more(file, FIRST_CAP, (off_t)file->len);
	} while (n > 0);
	return (int)n;
}

ssize_t tm_file_next(struct tm_file *file, size_t keep, off_t offset)
{
	int rc = not_open(file);

	if (rc)
		return rc;
	if (keep && keep < file->len)
		memmove(file->data, file->data + file->len - keep, keep);
	file->len = keep;
	return read_more(file, PART_CAP, offset);
}
