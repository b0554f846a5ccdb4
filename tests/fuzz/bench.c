/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result of a benchmark that is read is the same when it is written and read again; it can be
 * reported in every form, and compared with itself nothing has changed.
 */
#include <errno.h>

#include "cmd/bench/report.h"
#include "tests/fuzz/fuzz.h"

static char *print(const struct bench_result *result)
{
	char *text = NULL;

	CHECK(bench_result_json(result, &text, NULL) == 0);
	return text;
}

/* Numbers are written with six digits: from then on they stay. */
static void check_same(const struct bench_result *result, struct bench_result *again)
{
	struct bench_result third = { .kind = NULL };
	struct tm_error err = { 0 };
	char *first = print(result), *second, *last;

	CHECK(bench_result_parse(again, "again", first, strlen(first), &err) == 0);
	second = print(again);
	CHECK(bench_result_parse(&third, "third", second, strlen(second), &err) == 0);
	last = print(&third);
	CHECK(!strcmp(second, last));
	bench_result_release(&third);
	free(first);
	free(second);
	free(last);
}

/* Every element that is opened is closed, and none is there that the page did not make. */
static void check_html(const char *html)
{
	long depth = 0;

	CHECK(!strncmp(html, "<!DOCTYPE html>\n", 16) && !strstr(html, "<script"));
	for (const char *tag = strchr(html + 1, '<'); tag; tag = strchr(tag + 1, '<')) {
		const char *end = strchr(tag, '>');

		CHECK(end && (end[-1] == '/' || tag[1] == '/' || (tag[1] >= 'a' && tag[1] <= 'z')));
		if (tag[1] == '/')
			depth--;
		else if (end[-1] != '/')
			depth++;
		CHECK(depth >= 0);
	}
	CHECK(depth == 0);
}

static void check_report(const struct report *report)
{
	char *markdown = NULL, *html = NULL, *json = NULL;
	struct page page = { .nr = 0 };

	report_add_all(report, true, &page);
	CHECK(page_markdown(&page, &markdown, NULL) == 0);
	CHECK(page_html(&page, &html, NULL) == 0);
	CHECK(report_json(report, &json, NULL) == 0);
	check_html(html);
	page_release(&page);
	free(markdown);
	free(html);
	free(json);
}

static void check_comparison(const struct report_comparison *comparison)
{
	CHECK(comparison->machines.comparable);
	for (size_t i = 0; i < comparison->nr_pairs; i++) {
		CHECK(comparison->pairs[i].of[BEFORE] && comparison->pairs[i].of[AFTER]);
		for (size_t k = 0; k < bench_kind_metrics(comparison->kind); k++)
			CHECK(comparison->pairs[i].changes[k].verdict != TM_VERDICT_LARGER);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "input", other[] = "<script>|`*";
	char *files[] = { name, other };
	struct bench_result results[2] = { { .kind = NULL } };
	struct report report = { .files = files, .results = results, .nr = 2 };
	struct tm_error err = { 0 };
	int rc = bench_result_parse(&results[0], name, (const char *)data, size, &err);

	if (rc) {
		CHECK(rc == -EBADMSG && err.number == EBADMSG && !results[0].nr_cases);
		CHECK(!strncmp(err.text, "input:", 6));
		return 0;
	}
	check_same(&results[0], &results[1]);
	check_report(&report);
	CHECK(report_compare(&report.comparison, &results[1], &results[1]) == 0);
	check_comparison(&report.comparison);
	check_report(&report);
	report_comparison_release(&report.comparison);
	bench_result_release(&results[0]);
	bench_result_release(&results[1]);
	return 0;
}
