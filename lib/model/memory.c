/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much memory each node has, and in which zones. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/units.h"
#include "lib/model/read.h"

/* A line per CPU and zone: some megabytes on the largest machines. */
#define ZONEINFO_MAX (64u << 20)

/* "Node 3 MemTotal:       524288 kB" → bytes. */
static struct tm_num meminfo_value(const char *text, const char *key)
{
	char *found = strstr(text, key);
	unsigned long long kilobytes;
	char unit[4];

	if (!found)
		return tm_num_none(TM_MALFORMED);
	if (sscanf(found + strlen(key), " %19llu %3s", &kilobytes, unit) != 2 ||
	    strcmp(unit, "kB") || kilobytes > UINT64_MAX / 1024)
		return tm_num_none(TM_MALFORMED);
	return tm_num_known(kilobytes * 1024);
}

static int read_meminfo(struct tm_reader *rd, struct tm_node *node, const struct tm_idset *listed)
{
	char path[TM_PATH_MAX];
	struct tm_text text;
	bool has;

	tm_path_format(path, "sys/devices/system/node/node%d/meminfo", node->id);
	text = tm_read_text(rd, "%s", path);
	node->memory_total = node->memory_free = tm_num_none(text.state);
	if (text.state == TM_KNOWN) {
		node->memory_total = meminfo_value(text.value, " MemTotal:");
		node->memory_free = meminfo_value(text.value, " MemFree:");
		if (!tm_num_is(&node->memory_total) || !tm_num_is(&node->memory_free))
			tm_read_note(rd, path, TM_MALFORMED);
	}
	tm_text_release(&text);
	has = tm_num_is(&node->memory_total) ? node->memory_total.value > 0 :
					       tm_idset_has(listed, node->id);
	return has ? tm_idset_add(&rd->machine->memory_nodes, node->id) : 0;
}

static struct tm_node *find_node(struct tm_machine *m, long id)
{
	return (struct tm_node *)tm_machine_node(m, id);
}

/*
 * "  present  262144" within one zone's lines; false for another line. Not sscanf: it takes the
 * length of the whole rest first.
 */
static bool zone_value(const char *line, const char *key, struct tm_num *num)
{
	size_t len = strlen(key);
	uint64_t value;
	char *end;

	line += strspn(line, " ");
	if (strncmp(line, key, len) || line[len] != ' ')
		return false;
	line += len + strspn(line + len, " ");
	errno = 0;
	value = strtoull(line, &end, 10);
	if (isdigit((unsigned char)*line) && !errno && (*end == '\n' || !*end))
		*num = tm_num_known(value);
	else
		*num = tm_num_none(TM_MALFORMED);
	return true;
}

/*
 * The two counts stand at the head of a zone; behind them comes a list with some lines for every
 * CPU, which is most of the file and is not walked. False: what should be a count is none.
 */
static bool parse_zone(const char *line, struct tm_zone *zone)
{
	struct tm_num present = tm_num_none(TM_ABSENT), managed = present;

	while (line && strncmp(line, "Node ", 5) &&
	       (present.state == TM_ABSENT || managed.state == TM_ABSENT)) {
		if (present.state != TM_ABSENT || !zone_value(line, "present", &present))
			zone_value(line, "managed", &managed);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	zone->present_pages = present.value;
	zone->managed_pages = managed.value;
	return present.state != TM_MALFORMED && managed.state != TM_MALFORMED;
}

/*
 * The next line that begins with "Node ", from `text` on; N is rare in the rest, so this is fast.
 */
static const char *next_head(const char *text)
{
	for (const char *n = strchr(text, 'N'); n; n = strchr(n + 1, 'N'))
		if ((n == text || n[-1] == '\n') && !strncmp(n, "Node ", 5))
			return n;
	return NULL;
}

/* Documentation/filesystems/proc.rst: "Node 0, zone   Normal", then indented lines. */
static int parse_zoneinfo(struct tm_machine *m, const char *text)
{
	for (const char *line = next_head(text); line; line = next_head(line + 1)) {
		struct tm_zone zone = { 0 };
		struct tm_node *node;
		const char *next;
		char head[64];
		int id;

		next = strchr(line, '\n');
		snprintf(head, sizeof(head), "%.*s", (int)strcspn(line, "\n"), line);
		if (sscanf(head, "Node %9d, zone %15s", &id, zone.name) != 2 || !next)
			continue;
		node = find_node(m, id);
		if (!parse_zone(next + 1, &zone) && node)
			node->zones_state = TM_MALFORMED;
		if (!node || !zone.present_pages)
			continue;
		if (tm_array_grow(&node->zones, node->nr_zones, &node->cap_zones,
				  sizeof(*node->zones)))
			return -ENOMEM;
		node->zones[node->nr_zones++] = zone;
	}
	return 0;
}

/*
 * A captured tree does not say how large its pages are, but a node's MemTotal is the sum of what
 * its zones manage.
 */
static void find_page_size(struct tm_machine *m)
{
	for (size_t i = 0; i < m->nr_nodes && m->page_size.state != TM_KNOWN; i++) {
		const struct tm_node *node = &m->nodes[i];
		uint64_t managed = 0;

		for (size_t z = 0; z < node->nr_zones; z++)
			managed += node->zones[z].managed_pages;
		if (!managed || !tm_num_is(&node->memory_total))
			continue;
		for (uint64_t size = 4096; size <= 65536; size *= 2)
			if (node->memory_total.value / size == managed)
				m->page_size = tm_num_known(size);
	}
}

static int read_zones(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	struct tm_buf text = TM_BUF_INIT;
	enum tm_state state = tm_read_file(rd, &text, ZONEINFO_MAX, "proc/zoneinfo");
	int rc = 0;

	for (size_t i = 0; i < m->nr_nodes; i++)
		m->nodes[i].zones_state = state;
	if (state == TM_KNOWN)
		rc = parse_zoneinfo(m, text.data);
	tm_buf_release(&text);
	for (size_t i = 0; i < m->nr_nodes; i++) {
		struct tm_node *node = &m->nodes[i];

		/* Some zones without the others would tell something else. */
		if (state != TM_KNOWN || node->zones_state == TM_KNOWN)
			continue;
		node->nr_zones = 0;
		tm_read_note(rd, "proc/zoneinfo", node->zones_state);
	}
	return rc;
}

int tm_read_memory(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;
	struct tm_idset listed = TM_IDSET_INIT;
	struct tm_text block;
	uint64_t size;
	int rc = 0;

	tm_read_list(rd, &listed, "sys/devices/system/node/has_memory");
	for (size_t i = 0; i < m->nr_nodes && !rc; i++)
		rc = read_meminfo(rd, &m->nodes[i], &listed);
	tm_idset_release(&listed);
	if (!rc)
		rc = read_zones(rd);
	if (rc)
		return rc;
	find_page_size(m);

	/* Hexadecimal without 0x. */
	block = tm_read_text(rd, "sys/devices/system/memory/block_size_bytes");
	m->block_size = tm_num_none(block.state);
	if (block.state == TM_KNOWN) {
		char prefixed[64];
		int len = snprintf(prefixed, sizeof(prefixed), "0x%s", block.value);

		if (len >= (int)sizeof(prefixed) || tm_parse_u64(prefixed, &size) || !size)
			m->block_size = tm_num_none(TM_MALFORMED);
		else
			m->block_size = tm_num_known(size);
	}
	tm_text_release(&block);
	return 0;
}
