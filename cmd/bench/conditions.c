/* SPDX-License-Identifier: GPL-2.0-only */
/* What figures depend on, besides the machine: told with every result. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/options.h"
#include "lib/base/units.h"
#include "lib/sys/attr.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The word in brackets of "always [madvise] never", or all there is. */
static char *chosen_word(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	text[strcspn(text, "\n")] = '\0';
	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

static int add_file(struct bench *b, const char *key, const char *path)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_read(&b->root, path, 4096, &text);

	if (rc == -ENOMEM)
		return rc;
	rc = bench_result_condition(&b->result, key, rc ? NULL : "%s",
				    rc ? NULL : chosen_word(text.data));
	tm_buf_release(&text);
	return rc;
}

static int add_set(struct bench *b, const char *key, const struct tm_idset *set)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(set);

	if (!list)
		return -ENOMEM;
	return bench_result_condition(&b->result, key, *list ? "%s" : NULL, list);
}

/* "0:5 1:1" of the nodes that have one. */
static int add_weights(struct bench *b)
{
	struct tm_buf text = TM_BUF_INIT;
	int rc;

	for (size_t i = 0; i < b->machine.nr_nodes; i++) {
		const struct tm_node *node = &b->machine.nodes[i];

		if (tm_num_is(&node->weight))
			tm_buf_addf(&text, "%s%d:%" PRIu64, text.len ? " " : "", node->id,
				    node->weight.value);
	}
	rc = text.failed ? -ENOMEM :
			   bench_result_condition(&b->result, "weights", text.len ? "%s" : NULL,
						  tm_buf_str(&text));
	tm_buf_release(&text);
	return rc;
}

/* The policy that memory gets which has none of its own. */
static int add_policy(struct bench *b)
{
	struct tm_idset nodes = TM_IDSET_INIT;
	struct tm_buf text = TM_BUF_INIT;
	unsigned policy;
	int rc = tm_numa_get_policy(&b->numa, NULL, &policy, &nodes);

	if (!rc && tm_policy_name(policy)) {
		TM_CLEANUP(tm_freep) char *list = tm_idset_format(&nodes);

		tm_buf_addf(&text, "%s%s%s", tm_policy_name(policy), list && *list ? " " : "",
			    list ? list : "");
	}
	tm_idset_release(&nodes);
	rc = bench_result_condition(&b->result, "policy", text.len ? "%s" : NULL,
				    tm_buf_str(&text));
	tm_buf_release(&text);
	return rc;
}

int bench_conditions(struct bench *b, struct tm_error *err)
{
	static const struct {
		const char *key, *path;
	} files[] = {
		{ "thp_enabled", "sys/kernel/mm/transparent_hugepage/enabled" },
		{ "thp_defrag", "sys/kernel/mm/transparent_hugepage/defrag" },
		{ "thp_shmem", "sys/kernel/mm/transparent_hugepage/shmem_enabled" },
		{ "numa_balancing", "proc/sys/kernel/numa_balancing" },
		{ "governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" },
		{ "load_average", "proc/loadavg" },
	};
	struct bench_result *result = &b->result;
	int rc = add_set(b, "cpus", &b->cpus);

	if (!rc)
		rc = add_set(b, "nodes", &b->nodes);
	if (!rc)
		rc = add_policy(b);
	if (!rc)
		rc = add_weights(b);
	if (!rc)
		rc = bench_result_condition(result, "threads", "%u", b->threads);
	if (!rc)
		rc = bench_result_condition(result, "time", "%g s", (double)b->time_ns / 1e9);
	if (!rc)
		rc = bench_result_condition(result, "repeat", "%u", b->repeat);
	for (size_t i = 0; i < TM_ARRAY_SIZE(files) && !rc; i++)
		rc = add_file(b, files[i].key, files[i].path);
	if (!rc)
		rc = bench_result_condition(result, "compiler", "%s", COMPILER);
	return rc ? tm_error_nomem(err) : 0;
}
