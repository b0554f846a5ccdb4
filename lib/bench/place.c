/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where memory of this process lies, by move_pages(2), and in which pages, by smaps. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/units.h"
#include "lib/bench/memory.h"

/* Pages asked for in one call. */
#define BATCH 4096

static uint64_t base_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Reads a file of this process or machine, whole. */
static int read_file(const char *name, struct tm_buf *text)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		rc = tm_buf_reserve(text, 65536);
		if (rc)
			break;
		n = read(fd, text->data + text->len, 65536);
		if (n < 0 && errno != EINTR)
			rc = -errno;
		if (n > 0)
			text->len += (size_t)n;
	} while (!rc && n != 0);
	close(fd);
	if (!rc && !tm_buf_reserve(text, 1))
		text->data[text->len] = '\0';
	return rc;
}

uint64_t tm_bench_pmd_bytes(void)
{
	struct tm_buf text = TM_BUF_INIT;
	uint64_t bytes = 0;

	if (read_file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &text) ||
	    tm_parse_u64(tm_buf_str(&text), &bytes))
		bytes = 0;
	tm_buf_release(&text);
	return bytes;
}

static void add_bytes(struct tm_bench_place *place, int node, uint64_t bytes)
{
	size_t at = 0;

	while (at < place->nr && place->nodes[at].node < node)
		at++;
	if (at < place->nr && place->nodes[at].node == node) {
		place->nodes[at].bytes += bytes;
		return;
	}
	if (place->nr == TM_ARRAY_SIZE(place->nodes)) {
		place->unknown += bytes;
		return;
	}
	memmove(&place->nodes[at + 1], &place->nodes[at],
		(place->nr - at) * sizeof(place->nodes[0]));
	place->nodes[at].node = node;
	place->nodes[at].bytes = bytes;
	place->nr++;
}

/* `last` and below: less than a step may be left of the last page. */
static int look_batch(char *start, size_t count, uint64_t step, const struct tm_idset *nodes,
		      const struct tm_numa *numa, struct tm_bench_place *place)
{
	void *pages[BATCH];
	int status[BATCH];
	int rc;

	for (size_t i = 0; i < count; i++)
		pages[i] = start + i * step;
	rc = tm_numa_find_pages(numa, 0, count, pages, status);
	/* A container may forbid to ask. */
	if (rc == -EPERM) {
		place->unknown += count * step;
		return 0;
	}
	for (size_t i = 0; i < count && !rc; i++) {
		if (status[i] < 0) {
			place->unknown += step;
			continue;
		}
		add_bytes(place, status[i], step);
		if (nodes && !tm_idset_has(nodes, status[i]))
			place->misplaced += step;
	}
	return rc;
}

int tm_bench_look(const void *start, size_t bytes, uint64_t step, const struct tm_idset *nodes,
		  const struct tm_numa *numa, struct tm_bench_place *place, struct tm_error *err)
{
	struct tm_bench_place found = { .nr = 0 };
	size_t count = bytes / step;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i += BATCH)
		rc = look_batch((char *)start + i * step, TM_MIN(count - i, (size_t)BATCH), step,
				nodes, numa, &found);
	if (rc == -ENOSYS)
		rc = -EOPNOTSUPP;
	if (rc)
		return tm_error_errno(err, -rc, "asking where memory lies");
	*place = found;
	return 0;
}

/* "AnonHugePages:      2048 kB" into *bytes, where the line is that. */
static bool take_kb(const char *line, const char *key, uint64_t *bytes)
{
	size_t len = strlen(key);
	struct tm_num kb;

	if (strncmp(line, key, len) != 0)
		return false;
	kb = tm_leading_number(line + len);
	if (tm_num_is(&kb))
		*bytes = kb.value << 10;
	return true;
}

/*
 * Sums what smaps says of all mappings within [start, end): one mapping may have been split, or
 * merged with a neighbour, so that its figures are of more than was asked for.
 */
static void read_pages(const char *text, uint64_t start, uint64_t end, uint64_t *huge,
		       uint64_t *hugetlb)
{
	static const char *const keys[] = { "AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:",
					    NULL };
	bool inside = false;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		uint64_t bytes = 0;
		char *rest;
		/* Not by sscanf, which looks for the end of the whole text each time. */
		uint64_t from = strtoull(line, &rest, 16);

		if (rest != line && *rest == '-')
			inside = from < end && strtoull(rest + 1, NULL, 16) > start;
		if (!inside)
			continue;
		for (const char *const *key = keys; *key; key++)
			if (take_kb(line, *key, &bytes))
				*huge += bytes;
		if (take_kb(line, "KernelPageSize:", &bytes) && bytes > base_bytes())
			*hugetlb = bytes;
	}
}

static int look_pages(const struct tm_bench_memory *memory, struct tm_bench_place *place)
{
	struct tm_buf text = TM_BUF_INIT;
	uint64_t start = (uintptr_t)memory->address, hugetlb = 0;
	int rc = read_file("/proc/self/smaps", &text);

	if (!rc)
		read_pages(tm_buf_str(&text), start, start + memory->bytes, &place->huge, &hugetlb);
	tm_buf_release(&text);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (hugetlb) {
		place->huge = memory->bytes;
		place->page_bytes = hugetlb;
		return 0;
	}
	place->huge = TM_MIN(place->huge, (uint64_t)memory->bytes);
	place->page_bytes = place->huge > memory->bytes / 2 ? tm_bench_pmd_bytes() : base_bytes();
	return 0;
}

int tm_bench_memory_look(const struct tm_bench_memory *memory, const struct tm_numa *numa,
			 struct tm_bench_place *place, struct tm_error *err)
{
	struct tm_bench_place found = { .nr = 0 };
	uint64_t step = memory->want.page == TM_BENCH_PAGE_HUGETLB ? memory->want.page_bytes :
								     base_bytes();
	int rc = tm_bench_look(memory->address, memory->bytes, step, memory->want.nodes, numa,
			       &found, err);

	if (!rc && look_pages(memory, &found))
		rc = tm_error_nomem(err);
	if (!rc)
		*place = found;
	return rc;
}
