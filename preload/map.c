/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmap and mremap. Programs call them in signal handlers too: there is no lock here, and no
 * allocation.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/large.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#define MAP_HUGE_MASK 0x3f
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/*
 * Reads a file of /proc line by line, as far as a line fits; ends at one for which `use` is true.
 */
static bool scan_lines(const char *path, bool (*use)(const char *line, void *context),
		       void *context)
{
	char text[2048], line[160];
	size_t len = 0;
	bool done = false;
	int saved = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && !done && (n = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n && !done; i++) {
			if (text[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = text[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			done = use(line, context);
		}
	}
	if (fd >= 0)
		close(fd);
	errno = saved;
	return done;
}

static uintptr_t take_hex(const char **text)
{
	uintptr_t n = 0;

	for (; isxdigit((unsigned char)**text); (*text)++)
		n = n * 16 + (uintptr_t)(isdigit((unsigned char)**text) ?
						 **text - '0' :
						 tolower((unsigned char)**text) - 'a' + 10);
	return n;
}

struct question {
	uintptr_t address;
	bool anonymous;
};

/* "7f00-7f10 rw-p 00000000 00:00 0   [anon:name]": anonymous and private memory has no inode. */
static bool use_mapping(const char *line, void *context)
{
	struct question *q = context;
	uintptr_t start = take_hex(&line), end = *line == '-' ? (line++, take_hex(&line)) : 0;

	if (q->address < start || q->address >= end)
		return false;
	for (int blanks = 0; *line && blanks < 4; line++)
		blanks += *line == ' ';
	q->anonymous = line[0] == '0' && (line[1] == ' ' || !line[1]);
	return true;
}

static bool is_anonymous(const void *address)
{
	struct question q = { (uintptr_t)address, false };

	return scan_lines("/proc/self/maps", use_mapping, &q) && q.anonymous;
}

/* "Hugepagesize:       2048 kB" */
static bool use_meminfo(const char *line, void *context)
{
	static const char key[] = "Hugepagesize:";
	size_t *size = context;

	if (strncmp(line, key, strlen(key)))
		return false;
	for (line += strlen(key); *line; line++)
		if (isdigit((unsigned char)*line))
			*size = *size * 10 + (size_t)(*line - '0');
	*size *= 1024;
	return true;
}

/* The kernel makes whole huge pages of it; a policy for a part of one is refused. */
static size_t whole_len(size_t len, int flags)
{
	unsigned shift = (unsigned)flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
	size_t size = 0;

	if (!(flags & MAP_HUGETLB))
		return len;
	if (shift)
		size = (size_t)1 << shift;
	else
		scan_lines("/proc/meminfo", use_meminfo, &size);
	return size ? (len + size - 1) / size * size : len;
}

/* Stacks and files are left alone, however large. */
static bool gets_policy(void *start, size_t len, int flags)
{
	bool large = policy_is_for(len);

	if (!(flags & MAP_ANONYMOUS) || (flags & (MAP_STACK | MAP_GROWSDOWN)))
		return false;
	/* A piece that takes the place of a part of a large mapping is a part of it. */
	if (!large && (flags & MAP_FIXED) && policy_is_set())
		large = policy_is_at(start);
	return large;
}

static void *raw_mmap(void *start, size_t len, int prot, int flags, int fd, off64_t offset)
{
	const struct next *n = next();

	if (n)
		return n->mmap(start, len, prot, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

static void *map(void *start, size_t len, int prot, int flags, int fd, off64_t offset)
{
	struct policy_saved saved = { .mode = -1 };
	bool gets = gets_policy(start, len, flags);
	bool filled = gets && (flags & (MAP_POPULATE | MAP_LOCKED));
	void *p;

	/* What the kernel fills at once is there before the mapping can have a policy. */
	if (filled)
		policy_enter(&saved);
	p = raw_mmap(start, len, prot, flags, fd, offset);
	if (filled)
		policy_leave(&saved);
	if (gets && p != MAP_FAILED)
		policy_apply(p, whole_len(len, flags));
	return p;
}

EXPORT void *mmap(void *start, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map(start, len, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *start, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return map(start, len, prot, flags, fd, offset);
}

/* A mapping that has the policy keeps it; one that becomes large gets it now. */
EXPORT void *mremap(void *start, size_t old_len, size_t len, int flags, ...)
{
	void *to = NULL, *p;
	va_list ap;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(ap, flags);
		to = va_arg(ap, void *);
		va_end(ap);
	}
	if (!next()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	p = next()->mremap(start, old_len, len, flags, to);
	/* A length of 0 makes a second mapping of shared memory. */
	if (p != MAP_FAILED && old_len && policy_is_for(len) && !policy_is_for(old_len) &&
	    is_anonymous(p))
		policy_apply(p, len);
	return p;
}
