/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line of a recording that is read is the same when it is written and read again, and what
 * happened between any two such lines can be asked.
 */
#include <errno.h>

#include "lib/sample/recording.h"
#include "tests/fuzz/fuzz.h"

static char *print(const struct tm_sample *sample)
{
	struct tm_json *json = tm_json_new();
	char *text = NULL;

	CHECK(json);
	tm_sample_write(json, sample);
	CHECK(tm_json_print(json, true, &text, NULL) == 0);
	tm_json_free(json);
	return text;
}

static int parse(struct tm_sample *sample, const char *text, size_t len)
{
	struct tm_error err = { 0 };
	struct tm_jdoc *doc;
	int rc = tm_jdoc_parse("recording", text, len, &doc, &err);

	if (rc)
		return rc;
	rc = tm_sample_parse(sample, tm_jdoc_root(doc), &err);
	CHECK(rc == 0 || (rc == -EINVAL && err.number == EINVAL && err.text[0]));
	tm_jdoc_free(doc);
	return rc;
}

static void check_list(const struct tm_process_samples *processes)
{
	CHECK(processes->nr <= TM_PROCESSES_MAX);
	for (size_t i = 0; i < processes->nr; i++) {
		const struct tm_process_sample *one = &processes->list[i];

		CHECK(one->pid >= -1);
		CHECK(memchr(one->name, 0, sizeof(one->name)));
		for (size_t k = 1; k < one->nr_memory; k++)
			CHECK(one->memory[k].node > one->memory[k - 1].node);
	}
}

/* All that is asked of a pair. A sum is that of its parts. */
static void check_pair(const struct tm_sample *before, const struct tm_sample *now)
{
	tm_pair_interval(before, now);
	for (int irq = 0; irq < TM_IRQS; irq++) {
		struct tm_num total = tm_pair_irq_total(before, now, (enum tm_irq)irq, NULL);
		uint64_t sum = 0;

		for (size_t i = 0; i < now->interrupts.nr_cpus; i++) {
			struct tm_num one =
				tm_pair_irq(before, now, (enum tm_irq)irq, now->interrupts.cpus[i]);

			CHECK(!tm_num_is(&total) || tm_num_is(&one) || one.state == TM_OFFLINE);
			sum += tm_num_is(&one) ? one.value : 0;
		}
		CHECK(!tm_num_is(&total) || total.value == sum);
	}
	for (int i = 0; i < TM_COUNTERS; i++)
		tm_pair_counter(before, now, (enum tm_counter)i);
	for (size_t i = 0; i < now->nodes.nr; i++) {
		tm_pair_node_counter(before, now, now->nodes.list[i].id, TM_COUNTER_pgfault);
		tm_pair_numastat(before, now, now->nodes.list[i].id, TM_NUMASTAT_HIT);
	}
	for (size_t i = 0; i < now->sizes.nr; i++)
		tm_pair_size(before, now, now->sizes.list[i].size_bytes, TM_SIZE_SPLIT);
	for (size_t i = 0; i < now->events.nr_pmu; i++)
		tm_pair_event(before, now, now->events.pmu[i].name);
	for (int i = 0; i < TM_FLUSH_REASONS; i++)
		tm_event_flush_reason(&before->events, &now->events, (enum tm_flush_reason)i);
	for (size_t i = 0; i < now->processes.nr; i++)
		tm_pair_process(before, now, &now->processes.list[i], TM_PROCESS_RECEIVED);
	tm_pair_processes_lost(before, now);
}

/* Two lines, or one twice. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	struct tm_sample first = { 0 }, second = { 0 };

	if (!parse(&first, text, len)) {
		char *written = print(&first), *again;

		CHECK(parse(&second, written, strlen(written)) == 0);
		again = print(&second);
		CHECK(!strcmp(written, again));
		free(again);
		free(written);
		check_list(&first.processes);
		check_pair(&first, &second);
		if (end && !parse(&second, end + 1, size - len - 1))
			check_pair(&first, &second);
	}
	tm_sample_release(&first);
	tm_sample_release(&second);
	return 0;
}
