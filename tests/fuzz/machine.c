/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the expander machine with some of its files replaced, and looks for problems in it.
 *
 * An input is a series of records, each from one line that begins with '@' to the next:
 *
 *	@=PATH		a file with the lines below (and nothing else in its place)
 *	@/PATH		a folder
 *	@-PATH		nothing
 *	@!PATH		what this user may not read
 *	@>PATH		a link to the path that the first line below names
 *
 * A path that is not one of the tree's stands for one of them all the same, so that no mutation is
 * lost. The tree itself is made once, in a temporary folder; replaced files are served from memory.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/model/machine.h"
#include "lib/model/problem.h"
#include "tests/fuzz/fuzz.h"

struct tree_entry {
	const char *path;
	const char *text;
	const char *link;
};
#include "tests/unit/expander.h"

#define MAX_RECORDS 6

struct record {
	char kind;
	char path[256];
	char target[256]; /* of a link */
	char *text;	  /* of a file: a copy with a NUL */
	size_t size;
	int fd;
};

static struct record records[MAX_RECORDS];
static size_t nr_records;
static struct tm_root root;
static char folder[512];

/*
 * The paths that tiermem asks for: noted when the tree is read for the first time, as most files
 * are reached through links of the bus folders.
 */
static char *paths[1024];
static size_t nr_paths;

static void note_path(const char *path)
{
	for (size_t i = 0; i < nr_paths; i++)
		if (!strcmp(paths[i], path))
			return;
	CHECK(nr_paths < TM_ARRAY_SIZE(paths));
	paths[nr_paths] = strdup(path);
	CHECK(paths[nr_paths]);
	nr_paths++;
}

static void find_path(char found[256], const char *name, size_t len)
{
	size_t sum = 0;

	for (size_t i = 0; i < nr_paths; i++)
		if (strlen(paths[i]) == len && !memcmp(paths[i], name, len)) {
			snprintf(found, 256, "%s", paths[i]);
			return;
		}
	for (size_t i = 0; i < len; i++)
		sum = sum * 31 + (unsigned char)name[i];
	snprintf(found, 256, "%s", paths[sum % nr_paths]);
}

/*
 * --- the tree ----------------------------------------------------------------------------------
 */

static void make_entry(const struct tree_entry *entry)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", folder, entry->path);
	for (char *slash = name + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		CHECK(mkdir(name, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	if (entry->link) {
		CHECK(symlink(entry->link, name) == 0);
	} else if (entry->text) {
		file = fopen(name, "w");
		CHECK(file && fputs(entry->text, file) >= 0 && fclose(file) == 0);
	} else {
		CHECK(mkdir(name, 0755) == 0 || errno == EEXIST);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(void)
{
	tm_root_close(&root);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < nr_paths; i++)
		free(paths[i]);
}

/*
 * --- the replaced files ------------------------------------------------------------------------
 */

static const struct record *record_of(const char *path, bool *below)
{
	for (size_t i = 0; i < nr_records; i++) {
		size_t len = strlen(records[i].path);

		if (strncmp(path, records[i].path, len))
			continue;
		*below = path[len] == '/';
		if (!path[len] || *below)
			return &records[i];
	}
	return NULL;
}

static int open_fake(void *context, int root_fd, const char *path, int flags, mode_t mode)
{
	const struct record *record;
	char name[64];
	bool below;

	(void)context;
	if (nr_records == 0 && nr_paths < TM_ARRAY_SIZE(paths))
		note_path(path);
	record = record_of(path, &below);
	if (!record)
		return tm_io_system.open(NULL, root_fd, path, flags, mode);
	switch (record->kind) {
	case '=':
		if (below || (flags & O_DIRECTORY))
			return -ENOTDIR;
		snprintf(name, sizeof(name), "/proc/self/fd/%d", record->fd);
		return open(name, (flags & O_PATH) | O_RDONLY | O_CLOEXEC);
	case '/':
		return below ? -ENOENT :
			       tm_io_system.open(NULL, root_fd, "sys/bus/dax/drivers/kmem", flags,
						 0);
	case '!':
		return -EACCES;
	case '>':
		if (below)
			return -ENOENT;
		return tm_io_system.open(NULL, root_fd, record->target, flags, mode);
	default:
		return -ENOENT;
	}
}

static ssize_t read_fake(void *context, int fd, void *data, size_t size)
{
	(void)context;
	return tm_io_system.read(NULL, fd, data, size);
}

static int close_fake(void *context, int fd)
{
	(void)context;
	return tm_io_system.close(NULL, fd);
}

static const struct tm_io fake_io = {
	.open = open_fake,
	.read = read_fake,
	.close = close_fake,
};

static void add_record(const char *start, const char *end)
{
	const char *line = memchr(start, '\n', (size_t)(end - start));
	const char *text = line ? line + 1 : end;
	struct record *record = &records[nr_records];
	size_t len;

	line = line ? line : end;
	if (nr_records == MAX_RECORDS || line - start < 2)
		return;
	*record = (struct record){ .kind = start[1], .fd = -1, .size = (size_t)(end - text) };
	find_path(record->path, start + 2, (size_t)(line - start) - 2);
	record->text = fuzz_text((const uint8_t *)text, record->size);
	if (record->kind == '=') {
		record->fd = memfd_create("input", MFD_CLOEXEC);
		CHECK(record->fd >= 0);
		CHECK(write(record->fd, text, record->size) == (ssize_t)record->size);
	}
	len = strcspn(record->text, "\n");
	find_path(record->target, record->text, len);
	nr_records++;
}

static void add_records(const char *data, size_t size)
{
	const char *end = data + size, *start = data, *next;

	for (; start < end; start = next) {
		for (next = start + 1; next < end; next++)
			if (*next == '@' && next[-1] == '\n')
				break;
		/* The line break before the next record belongs to neither. */
		if (*start == '@')
			add_record(start, next < end ? next - 1 : end);
	}
}

static void drop_records(void)
{
	for (size_t i = 0; i < nr_records; i++) {
		free(records[i].text);
		if (records[i].fd >= 0)
			close(records[i].fd);
	}
	nr_records = 0;
}

/*
 * --- what must be so, whatever the files say -----------------------------------------------------
 */

/*
 * The record that makes a path a file; NULL where there is none, or a folder above is replaced too.
 */
static const struct record *replaced(const char *path)
{
	const struct record *found = NULL;

	for (size_t i = 0; i < nr_records; i++) {
		size_t len = strlen(records[i].path);

		if (strncmp(path, records[i].path, len))
			continue;
		if (path[len] == '/')
			return NULL;
		if (!path[len] && !found)
			found = &records[i];
	}
	return found && found->kind == '=' ? found : NULL;
}

/* A second opinion on what a number is: digits, or hexadecimal ones after 0x, with space about. */
static bool is_number(const struct record *record, uint64_t *value)
{
	const char *s = record->text, *digits = "0123456789";
	size_t len;
	int base = 10;

	if (strlen(s) != record->size)
		return false; /* NUL */
	while (isspace((unsigned char)*s))
		s++;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		s += 2;
		base = 16;
		digits = "0123456789abcdefABCDEF";
	}
	len = strspn(s, digits);
	errno = 0;
	*value = strtoull(s, NULL, base);
	if (!len || errno)
		return false;
	for (s += len; isspace((unsigned char)*s); s++)
		;
	return !*s;
}

/* A number is known where the file holds one between `least` and `most`, and is that one. */
static void check_number(const char *path, struct tm_num num, uint64_t least, uint64_t most)
{
	const struct record *record = replaced(path);
	uint64_t value;

	CHECK(num.state != TM_KNOWN || (num.value >= least && num.value <= most));
	if (!record)
		return;
	if (is_number(record, &value) && value >= least && value <= most)
		CHECK(num.state == TM_KNOWN && num.value == value);
	else
		CHECK(num.state != TM_KNOWN);
}

static void check_text(const struct tm_text *text)
{
	CHECK((text->state == TM_KNOWN) == (text->value != NULL));
	CHECK(!text->value || *text->value);
}

static void check_zones(const struct tm_node *node)
{
	CHECK(node->zones_state == TM_KNOWN || node->nr_zones == 0);
	for (size_t i = 0; i < node->nr_zones; i++) {
		CHECK(node->zones[i].name[0] && strlen(node->zones[i].name) < 16);
		CHECK(node->zones[i].present_pages > 0);
	}
}

static void check_node(const struct tm_machine *m, size_t i)
{
	const struct tm_node *node = &m->nodes[i];
	char path[128];

	CHECK(i == 0 || node->id > node[-1].id);
	CHECK(tm_machine_node(m, node->id) == node);
	CHECK(node->online == tm_idset_has(&m->online_nodes, node->id));
	CHECK(node->cpus_state == TM_KNOWN || tm_idset_empty(&node->cpus));
	CHECK(node->kind_why[0] && tm_kind_name(node->kind));
	CHECK(node->kind != TM_KIND_DRAM || tm_node_has_memory(m, node));
	snprintf(path, sizeof(path), WEIGHTS "/node%d", node->id);
	check_number(path, node->weight, 1, 255);
	if (tm_num_is(&node->tier)) {
		bool found = false;

		for (size_t t = 0; t < m->nr_tiers; t++)
			found |= (uint64_t)m->tiers[t].id == node->tier.value &&
				 tm_idset_has(&m->tiers[t].nodes, node->id);
		CHECK(found);
	}
	CHECK(!tm_num_is(&node->memory_total) ||
	      (node->memory_total.value > 0) == tm_node_has_memory(m, node));
	CHECK(!tm_num_is(&node->memory_total) || node->memory_total.value % 1024 == 0);
	CHECK(!tm_num_is(&node->blocks.online) || tm_num_is(&node->blocks.total));
	CHECK(!tm_num_is(&node->blocks.online) ||
	      (node->blocks.online.value <= node->blocks.total.value && node->blocks.source));
	check_zones(node);
	for (size_t k = 0; k < node->nr_distances; k++) {
		CHECK(node->distances_state == TM_KNOWN);
		CHECK(node->distances[k].value >= 0 && node->distances[k].value <= 255);
		CHECK(k == 0 || node->distances[k].node > node->distances[k - 1].node);
		CHECK(tm_idset_has(&m->online_nodes, node->distances[k].node));
	}
	for (size_t k = 1; k < node->nr_caches; k++)
		CHECK(node->caches[k].level > node->caches[k - 1].level);
}

static void check_perf(const struct tm_machine *m)
{
	char path[128];

	for (size_t i = 0; i < m->nr_perf; i++) {
		const struct tm_perf *row = &m->perf[i];
		const char *class = tm_access_name(row->access);

		CHECK(tm_machine_node(m, row->target));
		CHECK(i == 0 || row[-1].target < row->target ||
		      (row[-1].target == row->target && row[-1].access <= row->access));
		snprintf(path, sizeof(path), NODE "/node%d/%s/initiators/read_bandwidth",
			 row->target, class);
		check_number(path, row->read_bandwidth, 1, UINT64_MAX);
		snprintf(path, sizeof(path), NODE "/node%d/%s/initiators/write_latency",
			 row->target, class);
		check_number(path, row->write_latency, 1, UINT64_MAX);
	}
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_perf *best = tm_machine_best(m, m->nodes[i].id);

		CHECK(!best || best->target == m->nodes[i].id);
	}
}

static void check_cxl(const struct tm_cxl *cxl)
{
	for (size_t i = 0; i < cxl->nr_memdevs; i++) {
		const struct tm_cxl_memdev *memdev = &cxl->memdevs[i];

		CHECK(tm_cxl_memdev_find(cxl, memdev->name) == memdev);
		CHECK(!memdev->endpoint[0] || tm_cxl_port_find(cxl, memdev->endpoint));
		check_text(&memdev->serial);
		check_text(&memdev->firmware);
		CHECK(!tm_num_is(&memdev->link.width) ||
		      (memdev->link.width.value && memdev->link.width.value <= 32));
		check_number(CXL "/mem0/ram/size", memdev->ram_size, 0, UINT64_MAX);
		check_number(CXL "/mem0/ram/qos_class", memdev->ram_qos_class, 0, TM_ID_MAX);
	}
	for (size_t i = 0; i < cxl->nr_decoders; i++) {
		const struct tm_cxl_decoder *decoder = &cxl->decoders[i];

		CHECK(tm_cxl_decoder_find(cxl, decoder->name) == decoder);
		CHECK(!decoder->port[0] || tm_cxl_port_find(cxl, decoder->port));
		CHECK(!decoder->region[0] || decoder->region_state == TM_KNOWN);
		check_text(&decoder->targets);
		check_text(&decoder->mode);
	}
	for (size_t i = 0; i < cxl->nr_regions; i++) {
		const struct tm_cxl_region *region = &cxl->regions[i];

		CHECK(tm_cxl_region_find(cxl, region->name) == region);
		CHECK(!region->decoder[0] || tm_cxl_decoder_find(cxl, region->decoder));
		CHECK(region->nr_targets <= 16);
		check_text(&region->uuid);
		check_text(&region->mode);
		check_number(CXL "/region0/size", region->size, 0, UINT64_MAX);
		check_number(CXL "/region0/resource", region->resource, 0, UINT64_MAX - 1);
	}
	for (size_t i = 0; i < cxl->nr_dax; i++) {
		CHECK(cxl->dax[i].name[0]);
		check_number(DAX "/dax0.0/target_node", cxl->dax[i].target_node, 0, TM_ID_MAX);
	}
}

static void check_machine(const struct tm_machine *m)
{
	check_text(&m->kernel);
	check_text(&m->host);
	check_text(&m->boot_id);
	for (size_t i = 0; i < m->nr_nodes; i++)
		check_node(m, i);
	tm_idset_for_each(id, &m->memory_nodes)
		CHECK(tm_machine_node(m, id));
	for (size_t i = 1; i < m->nr_tiers; i++)
		CHECK(m->tiers[i].id > m->tiers[i - 1].id);
	CHECK(!tm_num_is(&m->block_size) || m->block_size.value > 0);
	CHECK(!tm_num_is(&m->page_size) ||
	      (m->page_size.value >= 4096 && m->page_size.value <= 65536 &&
	       (m->page_size.value & (m->page_size.value - 1)) == 0));
	CHECK(tm_weight_mode_name(m->weight_mode));
	check_perf(m);
	check_cxl(&m->cxl);
}

static void check_problems(const struct tm_machine *m)
{
	struct tm_problems problems = { 0 };
	struct tm_error err = { 0 };

	CHECK(tm_problems_find(m, &problems, &err) == 0);
	for (size_t i = 0; i < problems.nr; i++) {
		const struct tm_problem *p = &problems.list[i];
		bool listed = false;
		const char *code;

		for (size_t k = 0; (code = tm_problem_code(k)); k++)
			listed |= !strcmp(code, p->code);
		CHECK(listed && p->message[0]);
	}
	tm_problems_release(&problems);
}

static void read_machine(void)
{
	static const struct tm_machine_options ask = { .blocks = true };
	struct tm_error err = { 0 };
	struct tm_machine m;

	bool blocks = !nr_records;

	/* Asking every block takes longer, and is of use where one is replaced. */
	for (size_t i = 0; i < nr_records; i++)
		blocks |= strstr(records[i].path, "/state") != NULL;
	CHECK(tm_machine_read(&m, &root, blocks ? &ask : NULL, &err) == 0);
	check_machine(&m);
	check_problems(&m);
	tm_machine_release(&m);
}

static void make_tree(void)
{
	const char *temp = getenv("TMPDIR");
	struct tm_error err = { 0 };

	snprintf(folder, sizeof(folder), "%.400s/tiermem-fuzz.XXXXXX", temp ? temp : "/tmp");
	CHECK(mkdtemp(folder));
	for (size_t i = 0; i < TM_ARRAY_SIZE(expander); i++)
		make_entry(&expander[i]);
	CHECK(tm_root_open(&root, folder, &err) == 0);
	root.io = &fake_io;
	atexit(remove_tree);
	read_machine();
	CHECK(nr_paths > 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!nr_paths)
		make_tree();
	add_records((const char *)data, size);
	if (nr_records)
		read_machine();
	drop_records();
	return 0;
}
