/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/counters.h"

#include <string.h>

#include "lib/base/units.h"

static const struct {
	const char *name;
	enum tm_counter_group group;
} counters_known[TM_COUNTERS] = {
#define TM_COUNTER_ROW(name, group) { #name, TM_GROUP_##group },
	TM_COUNTER_LIST(TM_COUNTER_ROW)
#undef TM_COUNTER_ROW
};

const char *tm_counter_group_name(enum tm_counter_group group)
{
	static const char *const names[] = {
		[TM_GROUP_TLB] = "tlb",		[TM_GROUP_MIGRATION] = "migration",
		[TM_GROUP_NUMA] = "numa",	[TM_GROUP_THP] = "thp",
		[TM_GROUP_RECLAIM] = "reclaim",
	};

	return names[group];
}

const char *tm_counter_name(enum tm_counter counter)
{
	return counters_known[counter].name;
}

enum tm_counter_group tm_counter_group(enum tm_counter counter)
{
	return counters_known[counter].group;
}

enum tm_counter tm_counter_find(const char *name, size_t len)
{
	size_t low = 0, high = TM_COUNTERS;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *candidate = counters_known[middle].name;
		int order = strncmp(candidate, name, len);

		if (!order && candidate[len])
			order = 1;
		if (!order)
			return (enum tm_counter)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return TM_COUNTERS;
}

void tm_counters_none(struct tm_counters *counters, enum tm_state state)
{
	for (size_t i = 0; i < TM_COUNTERS; i++)
		counters->value[i] = tm_num_none(state);
}

void tm_counters_parse(struct tm_counters *counters, const char *text)
{
	tm_counters_none(counters, TM_UNSUPPORTED);
	while (*text) {
		size_t len = strcspn(text, " \t\n");
		enum tm_counter counter = tm_counter_find(text, len);

		text += len;
		if (counter != TM_COUNTERS)
			counters->value[counter] = tm_leading_number(text);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

struct tm_num tm_count_delta(const struct tm_num *before, const struct tm_num *now, unsigned bits)
{
	uint64_t round = 1ULL << 32, delta;

	if (!tm_num_is(now))
		return *now;
	if (!tm_num_is(before))
		return *before;
	if (now->value >= before->value)
		return tm_num_known(now->value - before->value);
	if (bits != 32 || before->value >= round)
		return tm_num_none(TM_UNKNOWN);
	delta = now->value + round - before->value;
	return delta < round / 2 ? tm_num_known(delta) : tm_num_none(TM_UNKNOWN);
}
