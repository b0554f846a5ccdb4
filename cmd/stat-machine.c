/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine it is, as far as it decides whether two records can be compared. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat-view.h"
#include "lib/sample/blind.h"
#include "lib/sys/attr.h"

/* The first CPU's part of cpuinfo; that of all would be megabytes. */
#define CPUINFO_PART 8192

/* What follows "key<blanks>: " on one of its lines; NULL: there is none. */
static const char *find_value(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + key_len;

		if (strncmp(line, key, key_len) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value++;
		value += strspn(value, " \t");
		*len = strcspn(value, "\n");
		if (*len)
			return value;
	}
	return NULL;
}

/*
 * Architectures name their CPUs by different keys. Marketing names are not exact, and virtual
 * machines' even less: numbers are added where there are some.
 */
static void describe_cpu(struct tm_buf *model, const char *text)
{
	static const struct {
		const char *key, *prefix;
	} keys[] = {
		{ "model name", "" },
		{ "cpu family", ", family " },
		{ "model", ", model " },
		{ "stepping", ", stepping " },
		{ "CPU implementer", ", implementer " },
		{ "CPU part", ", part " },
		{ "CPU variant", ", variant " },
		{ "CPU revision", ", revision " },
		{ "cpu", ", " },
		{ "uarch", ", " },
		{ "processor 0", ", " },
	};

	for (size_t i = 0; i < TM_ARRAY_SIZE(keys); i++) {
		size_t len = 0;
		const char *value = find_value(text, keys[i].key, &len);
		const char *prefix = keys[i].prefix;

		if (!value)
			continue;
		if (!model->len && *prefix)
			prefix += 2;
		tm_buf_adds(model, prefix);
		tm_buf_add_printable(model, value, len);
	}
}

static void read_cpu_model(struct tm_text *model, const struct tm_root *root)
{
	int fd = tm_root_openat(root, "proc/cpuinfo", O_RDONLY | O_NONBLOCK, 0);
	struct tm_buf text = TM_BUF_INIT, described = TM_BUF_INIT;
	ssize_t n = fd;

	if (fd >= 0 && !tm_buf_reserve(&text, CPUINFO_PART)) {
		n = root->io->read(root->io_context, fd, text.data, CPUINFO_PART);
		if (n > 0) {
			text.data[n] = '\0';
			describe_cpu(&described, text.data);
		}
		root->io->close(root->io_context, fd);
	}
	model->state = n < 0 ? tm_state_from_errno((int)-n) : TM_UNSUPPORTED;
	if (described.len) {
		model->value = tm_buf_detach(&described);
		model->state = model->value ? TM_KNOWN : TM_UNKNOWN;
	}
	tm_buf_release(&described);
	tm_buf_release(&text);
}

static void read_blind(struct tm_text *blind, const struct tm_root *root)
{
	struct tm_idset possible = TM_IDSET_INIT;
	struct tm_num found;
	size_t cpus = 0;

	if (tm_attr_list(root, "sys/devices/system/cpu/possible", &possible) == TM_KNOWN)
		cpus = tm_idset_count(&possible);
	tm_idset_release(&possible);
	found = tm_blind_read(root, tm_cpuid_system, NULL, cpus);
	blind->state = found.state;
	if (!tm_num_is(&found))
		return;
	blind->value = strdup(tm_blind_name((enum tm_blind)found.value));
	if (!blind->value)
		blind->state = TM_UNKNOWN;
}

static int copy_text(struct tm_text *to, const struct tm_text *from)
{
	to->state = from->state;
	if (from->state == TM_KNOWN) {
		to->value = strdup(from->value);
		if (!to->value)
			return -ENOMEM;
	}
	return 0;
}

static int copy_nodes(struct stat_machine *to, const struct tm_machine *m)
{
	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_node *node = &m->nodes[i];

		if (!tm_node_has_memory(m, node))
			continue;
		if (tm_array_grow(&to->nodes, to->nr_nodes, &to->cap_nodes, sizeof(*to->nodes)))
			return -ENOMEM;
		to->nodes[to->nr_nodes++] = (struct stat_node){ node->id, node->memory_total };
	}
	return 0;
}

int stat_take_machine(struct stat_record *record, const struct tm_root *root,
		      const struct tm_machine *m, struct tm_error *err)
{
	int rc = 0;

	if (copy_text(&record->kernel, &m->kernel) || copy_text(&record->host, &m->host) ||
	    copy_text(&record->boot_id, &m->boot_id) || copy_nodes(&record->machine, m))
		rc = -ENOMEM;
	record->root = strdup(m->root);
	if (m->online_cpus_state == TM_KNOWN)
		record->machine.online_cpus.value = tm_idset_format(&m->online_cpus);
	record->machine.online_cpus.state =
		record->machine.online_cpus.value ? TM_KNOWN : m->online_cpus_state;
	if (!record->root ||
	    (m->online_cpus_state == TM_KNOWN && !record->machine.online_cpus.value))
		rc = -ENOMEM;
	record->machine.page_size = m->page_size;
	read_blind(&record->machine.blind, root);
	read_cpu_model(&record->machine.cpu_model, root);
	return rc ? tm_error_nomem(err) : 0;
}

int stat_read_machine(struct stat_record *record, const struct tm_root *root, struct tm_error *err)
{
	struct tm_machine m = { 0 };
	int rc = tm_machine_read(&m, root, NULL, err);

	if (!rc)
		rc = stat_take_machine(record, root, &m, err);
	tm_machine_release(&m);
	return rc;
}
