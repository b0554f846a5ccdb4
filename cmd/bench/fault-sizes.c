/* SPDX-License-Identifier: GPL-2.0-only */
/* Page sizes, one after the other: what this machine has, how to get just one, and was it got? */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/bench/fault.h"
#include "cmd/settings.h"
#include "lib/base/units.h"
#include "lib/sys/attr.h"

/* A fault may bring less at the edges of a part; more than this is another size. */
#define TOLERANCE 0.1

static const struct tm_setting *own_setting(const struct tm_thp_size *size, enum tm_thp_side side)
{
	return side == TM_THP_ANON ? &size->enabled : &size->shmem;
}

static const char *knob_name(enum tm_thp_side side)
{
	return side == TM_THP_ANON ? "enabled" : "shmem";
}

static bool is_set(const struct tm_setting *setting)
{
	return setting && setting->value.state == TM_KNOWN;
}

/* Before Linux 6.8, for shared memory 6.11, the one for all sizes is the only one. */
static bool has_own(const struct tm_thp *thp, enum tm_thp_side side)
{
	for (size_t i = 0; i < thp->nr_sizes; i++)
		if (is_set(own_setting(&thp->sizes[i], side)))
			return true;
	return false;
}

int fault_sizes_read(const struct bench *b, struct tm_thp *thp, struct tm_error *err)
{
	int rc = tm_thp_read(thp, &b->root, err);

	if (rc || thp->state == TM_KNOWN)
		return rc;
	tm_thp_release(thp);
	tm_error_set(err, ENOTSUP, "--each-size: this machine has no transparent huge pages");
	tm_error_hint(err, "without it, pages are as they are");
	return -ENOTSUP;
}

size_t fault_sizes_list(const struct tm_thp *thp, enum tm_thp_side side,
			uint64_t sizes[FAULT_SIZES])
{
	size_t nr = 0;

	sizes[nr++] = thp->page_bytes;
	for (size_t i = 0; i < thp->nr_sizes && nr < FAULT_SIZES; i++)
		if (is_set(own_setting(&thp->sizes[i], side)))
			sizes[nr++] = (uint64_t)thp->sizes[i].kib << 10;
	if (!has_own(thp, side) && is_set(tm_thp_top(thp, knob_name(side))) &&
	    tm_num_is(&thp->pmd_bytes))
		sizes[nr++] = thp->pmd_bytes.value;
	return nr;
}

static int want_sizes(const struct bench *b, const struct tm_thp *thp, enum tm_thp_side side,
		      uint64_t bytes, struct settings *settings, struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < thp->nr_sizes && !rc; i++) {
		const struct tm_setting *own = own_setting(&thp->sizes[i], side);
		bool this_one = (uint64_t)thp->sizes[i].kib << 10 == bytes;

		if (is_set(own))
			rc = settings_want(settings, &b->root, own->knob, own->instance,
					   this_one ? "always" : "never", err);
	}
	return rc;
}

/* The setting for all sizes: where it is the only one, or overrules those of the sizes. */
static int want_top(const struct bench *b, const struct tm_thp *thp, enum tm_thp_side side,
		    uint64_t bytes, struct settings *settings, struct tm_error *err)
{
	const struct tm_setting *top = tm_thp_top(thp, knob_name(side));
	bool only = !has_own(thp, side);

	if (!is_set(top) || (!only && side == TM_THP_ANON))
		return 0;
	return settings_want(settings, &b->root, top->knob, top->instance,
			     only && bytes > thp->page_bytes ? "always" : "never", err);
}

int fault_sizes_set(struct bench *b, const struct tm_thp *thp, enum tm_thp_side side,
		    uint64_t bytes, struct tm_error *err)
{
	/* This puts back what was set before, so that it comes first. */
	struct tm_plan *plan = bench_settings_plan(b, err);
	struct settings settings = { 0 };
	int rc = plan ? 0 : -(err->number ? err->number : EIO);

	if (!rc)
		rc = want_sizes(b, thp, side, bytes, &settings, err);
	if (!rc)
		rc = want_top(b, thp, side, bytes, &settings, err);
	if (!rc)
		rc = settings_plan(&settings, &b->root, plan, err);
	settings_release(&settings);
	return rc ? rc : bench_settings_apply(b, err);
}

static struct tm_num counter(const struct tm_root *root, uint64_t bytes, const char *name)
{
	char path[TM_PATH_MAX];

	if (tm_path_format(path, TM_THP_FOLDER "/hugepages-%" PRIu64 "kB/stats/%s", bytes >> 10,
			   name))
		return tm_num_none(TM_UNKNOWN);
	return tm_attr_num(root, path);
}

struct fault_tries fault_sizes_tries(const struct tm_root *root, enum tm_thp_side side,
				     uint64_t bytes)
{
	bool anon = side == TM_THP_ANON;

	return (struct fault_tries){
		.got = counter(root, bytes, anon ? "anon_fault_alloc" : "shmem_alloc"),
		.fell_back = counter(root, bytes, anon ? "anon_fault_fallback" : "shmem_fallback"),
	};
}

/* False: unknown, or nothing was tried. */
static bool tries_between(const struct fault_tries *before, const struct fault_tries *now,
			  uint64_t *fell_back, uint64_t *tried)
{
	if (!tm_num_is(&before->got) || !tm_num_is(&before->fell_back) || !tm_num_is(&now->got) ||
	    !tm_num_is(&now->fell_back))
		return false;
	*fell_back = now->fell_back.value - before->fell_back.value;
	*tried = now->got.value - before->got.value + *fell_back;
	return *tried > 0;
}

void fault_sizes_note(uint64_t asked, double bytes_per_fault, const struct fault_tries *before,
		      const struct fault_tries *now, char *note, size_t size)
{
	char wanted[TM_UNITS_MAX], got[TM_UNITS_MAX];
	uint64_t fell_back, tried;
	int len;

	*note = '\0';
	if (!asked || isnan(bytes_per_fault) ||
	    fabs(bytes_per_fault - (double)asked) <= TOLERANCE * (double)asked)
		return;
	if (asked == (uint64_t)sysconf(_SC_PAGESIZE) && bytes_per_fault < (double)asked) {
		snprintf(note, size,
			 "faults: there were more than pages, as if some had to be "
			 "touched again");
		return;
	}
	len = snprintf(note, size, "page: %s was asked for, %s was got",
		       tm_format_bytes(wanted, asked),
		       tm_format_bytes(got, (uint64_t)llround(bytes_per_fault)));
	if (len > 0 && (size_t)len < size && tries_between(before, now, &fell_back, &tried))
		snprintf(note + len, size - (size_t)len,
			 " by a fault; of %" PRIu64 " tries %" PRIu64 " fell back to smaller pages",
			 tried, fell_back);
}
