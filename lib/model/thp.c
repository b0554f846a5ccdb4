/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/thp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sys/attr.h"

static int compare_counters(const void *a, const void *b)
{
	const struct tm_thp_counter *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void release_counters(struct tm_thp_counters *counters)
{
	for (size_t i = 0; i < counters->nr; i++)
		free(counters->list[i].name);
	free(counters->list);
}

/* True: the file is a setting's. */
static bool is_setting(const char *path)
{
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(TM_KNOBS_THP, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(rows[i].path, path))
			return true;
	return false;
}

static int add_counter(struct tm_thp_counters *counters, const char *name, struct tm_num value)
{
	struct tm_thp_counter counter = { .value = value };

	if (tm_array_grow(&counters->list, counters->nr, &counters->cap, sizeof(*counters->list)))
		return -ENOMEM;
	counter.name = strdup(name);
	if (!counter.name)
		return -ENOMEM;
	counters->list[counters->nr++] = counter;
	return 0;
}

/* Every file of the folder is one, whether its name is known or not. */
static int read_counters(struct tm_thp_counters *counters, const struct tm_root *root,
			 const char *folder)
{
	struct tm_scan scan;
	const char *name;
	int rc = tm_scan_open(root, folder, &scan);

	if (rc == -ENOMEM)
		return rc;
	counters->state = rc ? tm_state_from_errno(-rc) : TM_KNOWN;
	if (rc)
		return 0;
	while (!rc && (name = tm_scan_next(&scan))) {
		char path[TM_PATH_MAX];

		if (tm_path_format(path, "%s/%s", folder, name) || is_setting(path))
			continue;
		rc = add_counter(counters, name, tm_attr_num(root, path));
	}
	tm_scan_close(&scan);
	if (counters->nr)
		qsort(counters->list, counters->nr, sizeof(*counters->list), compare_counters);
	return rc;
}

static int read_top(struct tm_thp *thp, const struct tm_root *root)
{
	size_t nr;
	const struct tm_knob *rows = tm_knob_list(TM_KNOBS_THP, &nr);
	int rc = 0;

	thp->top = calloc(nr, sizeof(*thp->top));
	if (!thp->top)
		return -ENOMEM;
	for (; !rc && thp->nr_top < nr; thp->nr_top += !rc)
		rc = tm_setting_read(root, &rows[thp->nr_top], 0, &thp->top[thp->nr_top]);
	return rc;
}

static void release_size(struct tm_thp_size *size)
{
	tm_setting_release(&size->enabled);
	tm_setting_release(&size->shmem);
	release_counters(&size->counters);
}

static int read_size(const struct tm_thp *thp, const struct tm_root *root, long kib,
		     struct tm_thp_size *size)
{
	char folder[TM_PATH_MAX];
	int rc;

	size->kib = kib;
	size->pmd = tm_num_is(&thp->pmd_bytes) && thp->pmd_bytes.value == (uint64_t)kib << 10;
	rc = tm_setting_read(root, tm_knob_find(TM_KNOBS_MTHP, "enabled"), kib, &size->enabled);
	if (!rc)
		rc = tm_setting_read(root, tm_knob_find(TM_KNOBS_MTHP, "shmem"), kib, &size->shmem);
	tm_path_format(folder, TM_THP_FOLDER "/hugepages-%ldkB/stats", kib);
	if (!rc)
		rc = read_counters(&size->counters, root, folder);
	if (rc)
		release_size(size);
	return rc;
}

/* "hugepages-64kB" → 64; 0 for another name. */
static long size_of(const char *name)
{
	char copy[64];
	size_t len = strlen(name);
	long kib;

	if (len < 3 || len >= sizeof(copy) || strcmp(name + len - 2, "kB"))
		return 0;
	memcpy(copy, name, len - 2);
	copy[len - 2] = '\0';
	return tm_name_id(copy, "hugepages-", &kib) && kib > 0 ? kib : 0;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct tm_thp_size *x = a, *y = b;

	return (x->kib > y->kib) - (x->kib < y->kib);
}

static int read_sizes(struct tm_thp *thp, const struct tm_root *root)
{
	struct tm_scan scan;
	const char *name;
	size_t cap = 0;
	int rc = tm_scan_open(root, TM_THP_FOLDER, &scan);

	if (rc == -ENOMEM)
		return rc;
	thp->state = rc ? tm_state_from_errno(-rc) : TM_KNOWN;
	if (rc)
		return 0;
	while (!rc && (name = tm_scan_next(&scan))) {
		long kib = size_of(name);

		if (!kib)
			continue;
		rc = tm_array_grow(&thp->sizes, thp->nr_sizes, &cap, sizeof(*thp->sizes));
		if (!rc)
			rc = read_size(thp, root, kib, &thp->sizes[thp->nr_sizes]);
		thp->nr_sizes += !rc;
	}
	tm_scan_close(&scan);
	if (thp->nr_sizes)
		qsort(thp->sizes, thp->nr_sizes, sizeof(*thp->sizes), compare_sizes);
	return rc;
}

/* Anonymous memory has sizes from four base pages up: one or two are none to the kernel. */
static uint64_t page_size_of(const struct tm_thp *thp)
{
	for (size_t i = 0; i < thp->nr_sizes; i++)
		if (thp->sizes[i].enabled.value.state != TM_ABSENT)
			return (uint64_t)thp->sizes[i].kib << 10 >> 2;
	return 0;
}

int tm_thp_read(struct tm_thp *thp, const struct tm_root *root, struct tm_error *err)
{
	struct tm_thp read = { .page_bytes = root->page_size };
	int rc;

	read.pmd_bytes = tm_attr_num(root, TM_THP_FOLDER "/hpage_pmd_size");
	rc = read_top(&read, root);
	if (!rc)
		rc = read_counters(&read.khugepaged, root, TM_THP_FOLDER "/khugepaged");
	if (!rc)
		rc = read_sizes(&read, root);
	if (!read.page_bytes)
		read.page_bytes = page_size_of(&read);
	if (rc) {
		tm_thp_release(&read);
		return tm_error_nomem(err);
	}
	*thp = read;
	return 0;
}

void tm_thp_release(struct tm_thp *thp)
{
	for (size_t i = 0; i < thp->nr_top; i++)
		tm_setting_release(&thp->top[i]);
	free(thp->top);
	release_counters(&thp->khugepaged);
	for (size_t i = 0; i < thp->nr_sizes; i++)
		release_size(&thp->sizes[i]);
	free(thp->sizes);
	*thp = (struct tm_thp){ 0 };
}

const struct tm_thp_size *tm_thp_size(const struct tm_thp *thp, long kib)
{
	for (size_t i = 0; i < thp->nr_sizes; i++)
		if (thp->sizes[i].kib == kib)
			return &thp->sizes[i];
	return NULL;
}

const struct tm_setting *tm_thp_top(const struct tm_thp *thp, const char *name)
{
	for (size_t i = 0; i < thp->nr_top; i++)
		if (!strcmp(thp->top[i].knob->name, name))
			return &thp->top[i];
	return NULL;
}

struct tm_num tm_thp_counter(const struct tm_thp_counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->nr; i++)
		if (!strcmp(counters->list[i].name, name))
			return counters->list[i].value;
	return tm_num_none(counters->state == TM_KNOWN ? TM_ABSENT : counters->state);
}

static bool says(const struct tm_text *text, const char *word)
{
	return text->state == TM_KNOWN && !strcmp(text->value, word);
}

enum tm_state tm_thp_effective_enabled(const struct tm_text *top, const struct tm_text *own,
				       const char **word)
{
	if (own->state != TM_KNOWN)
		return own->state;
	if (!says(own, "inherit")) {
		*word = own->value;
		return TM_KNOWN;
	}
	if (top->state != TM_KNOWN)
		return TM_UNKNOWN;
	*word = top->value;
	return TM_KNOWN;
}

enum tm_state tm_thp_effective_shmem(const struct tm_text *top, const struct tm_text *own,
				     const char **word)
{
	bool inherits = says(own, "inherit");

	if (own->state != TM_KNOWN)
		return own->state;
	/* It holds with every word for all sizes. */
	if (says(own, "never") || says(top, "deny") || (says(top, "force") && !inherits)) {
		*word = "never";
		return TM_KNOWN;
	}
	if (top->state != TM_KNOWN && (inherits || top->state != TM_ABSENT))
		return TM_UNKNOWN;
	*word = !inherits ? own->value : says(top, "force") ? "always" : top->value;
	return TM_KNOWN;
}

bool tm_thp_fallback(const struct tm_thp_size *size, enum tm_thp_side side, double *ratio)
{
	static const char *const names[][2] = {
		[TM_THP_ANON] = { "anon_fault_alloc", "anon_fault_fallback" },
		[TM_THP_SHMEM] = { "shmem_alloc", "shmem_fallback" },
	};
	struct tm_num done = tm_thp_counter(&size->counters, names[side][0]);
	struct tm_num fell = tm_thp_counter(&size->counters, names[side][1]);
	double tried = (double)done.value + (double)fell.value;

	if (!tm_num_is(&done) || !tm_num_is(&fell) || tried <= 0)
		return false;
	*ratio = (double)fell.value / tried;
	return true;
}
