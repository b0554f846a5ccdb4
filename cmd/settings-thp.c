/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the settings of huge pages ask of each other. The kernel takes "force" for shared memory of
 * all sizes only while the PMD size, and no other, inherits; and as long as it says so no other
 * size may come to inherit (mm/shmem.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/settings.h"
#include "lib/base/units.h"

static bool is(const char *value, const char *word)
{
	return value && !strcmp(value, word);
}

static const char *now(const struct tm_setting *setting)
{
	return setting && setting->value.state == TM_KNOWN ? setting->value.value : NULL;
}

/* What it will say; NULL: unknown. */
static const char *after(const struct settings *settings, const struct tm_setting *setting)
{
	const struct wanted *wanted =
		setting ? settings_find(settings, setting->knob, setting->instance) : NULL;

	return wanted ? wanted->value : now(setting);
}

static void add_size(struct tm_buf *list, long kib)
{
	char size[TM_UNITS_MAX];

	tm_buf_addf(list, "%s%s", list->len ? ", " : "",
		    tm_format_bytes(size, (uint64_t)kib << 10));
}

/*
 * The sizes other than PMD that inherit, now or after; *pmd: that one inherits. A PMD size without
 * a file inherits for good.
 */
static void who_inherits(const struct settings *settings, const struct tm_thp *thp, bool later,
			 struct tm_buf *others, bool *pmd)
{
	*pmd = true;
	for (size_t i = 0; i < thp->nr_sizes; i++) {
		const struct tm_thp_size *size = &thp->sizes[i];
		const char *value = later ? after(settings, &size->shmem) : now(&size->shmem);

		if (size->pmd && value)
			*pmd = is(value, "inherit");
		else if (!size->pmd && is(value, "inherit"))
			add_size(others, size->kib);
	}
}

static int refuse_force(const struct tm_thp *thp, const struct tm_buf *others, bool pmd,
			struct tm_error *err)
{
	char size[TM_UNITS_MAX];

	tm_format_bytes(size, thp->pmd_bytes.value);
	if (others->len) {
		tm_error_set(err, EINVAL,
			     "top shmem: the kernel does not take 'force' while a size other than "
			     "%s inherits: %s",
			     size, tm_buf_str(others));
		tm_error_hint(err,
			      "give these another value in the same command, as in '%.*s "
			      "shmem=never'",
			      (int)strcspn(tm_buf_str(others), ","), tm_buf_str(others));
	} else if (!pmd) {
		tm_error_set(err, EINVAL,
			     "top shmem: the kernel takes 'force' only while %s inherits", size);
		tm_error_hint(err, "add '%s shmem=inherit' to the command", size);
	}
	return -EINVAL;
}

/* The wanted ones that come to inherit although "force" is said and stays. */
static int check_inherit(const struct settings *settings, const struct tm_thp *thp,
			 struct tm_error *err)
{
	struct tm_buf sizes = TM_BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < thp->nr_sizes; i++) {
		const struct tm_thp_size *size = &thp->sizes[i];

		if (!size->pmd && is(after(settings, &size->shmem), "inherit") &&
		    !is(now(&size->shmem), "inherit"))
			add_size(&sizes, size->kib);
	}
	if (sizes.len) {
		rc = tm_error_set(err, EINVAL,
				  "%s shmem: 'inherit' is refused while top shmem is 'force', but "
				  "for the PMD size",
				  tm_buf_str(&sizes));
		tm_error_hint(err, "give top shmem another value in the same command");
	}
	tm_buf_release(&sizes);
	return rc;
}

/* Beyond one huge page's pages the kernel refuses. */
static int check_bound(const struct settings *settings, const struct tm_thp *thp, const char *name,
		       struct tm_error *err)
{
	const struct wanted *wanted = settings_find(settings, tm_knob_find(TM_KNOBS_THP, name), 0);
	uint64_t number, most;

	if (!wanted || !thp->page_bytes || !tm_num_is(&thp->pmd_bytes) ||
	    thp->pmd_bytes.value <= thp->page_bytes || tm_parse_u64(wanted->value, &number))
		return 0;
	most = thp->pmd_bytes.value / thp->page_bytes - 1;
	if (number <= most)
		return 0;
	tm_error_set(err, EINVAL, "top %s: %" PRIu64 " is more than a huge page has", name, number);
	tm_error_hint(err, "it takes 0 to %" PRIu64 " pages", most);
	return -EINVAL;
}

int settings_thp_order(const struct settings *settings, const struct tm_thp *thp,
		       struct settings_thp *order, struct tm_error *err)
{
	const struct tm_setting *top = tm_thp_top(thp, "shmem");
	bool was = is(now(top), "force"), will = is(after(settings, top), "force"), pmd;
	struct tm_buf others = TM_BUF_INIT;
	int rc = check_bound(settings, thp, "khugepaged-max-ptes-none", err);

	*order = (struct settings_thp){ .top = top ? top->knob : NULL };
	if (!rc)
		rc = check_bound(settings, thp, "khugepaged-max-ptes-swap", err);
	if (!rc)
		rc = check_bound(settings, thp, "khugepaged-max-ptes-shared", err);
	if (rc)
		return rc;
	order->first = was && !will;
	order->last = will && !was;
	/* Without the PMD size there is no telling which size may inherit: the kernel will. */
	if (!tm_num_is(&thp->pmd_bytes) || !(was || will))
		return 0;
	who_inherits(settings, thp, order->last, &others, &pmd);
	order->odd = others.len || !pmd;
	order->forced = was && will;
	if (order->last && order->odd)
		rc = refuse_force(thp, &others, pmd, err);
	else if (order->forced)
		rc = check_inherit(settings, thp, err);
	tm_buf_release(&others);
	return rc;
}

const char *settings_thp_lasting(const struct settings_thp *order, const struct tm_thp *thp,
				 const struct wanted *wanted)
{
	const struct tm_thp_size *size;

	if (wanted->knob == order->top)
		return order->first && order->odd ?
			       "the kernel would not take 'force' back, as other sizes inherit, or "
			       "the PMD size does not" :
			       NULL;
	if (!order->forced || wanted->knob != tm_knob_find(TM_KNOBS_MTHP, "shmem"))
		return NULL;
	size = tm_thp_size(thp, wanted->instance);
	if (!size || size->pmd || !is(now(&size->shmem), "inherit") || is(wanted->value, "inherit"))
		return NULL;
	return "the kernel would not take 'inherit' back while top shmem is 'force'";
}
