/* SPDX-License-Identifier: GPL-2.0-only */
/* Named sets of settings, each with what it is for. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mthp-view.h"
#include "lib/base/units.h"

enum target { TOP, PMD, OTHERS, FROM_64K, BELOW_64K };

struct rule {
	enum target target; /* OTHERS: all but the PMD size */
	const char *key;
	/* "PTES", "PTES-1", …: in base pages of one PMD-sized huge page. */
	const char *value;
};

struct preset {
	const char *name;
	const char *summary;
	const char *reason;
	const struct rule *rules; /* ends with a NULL key */
};

static const struct rule default_rules[] = {
	{ TOP, "enabled", "always" },
	{ TOP, "shmem", "never" },
	{ TOP, "defrag", "madvise" },
	{ TOP, "use-zero-page", "on" },
	{ TOP, "shrink-underused", "on" },
	{ TOP, "khugepaged-defrag", "on" },
	{ TOP, "khugepaged-pages-to-scan", "PTES*8" },
	{ TOP, "khugepaged-scan-sleep", "10000" },
	{ TOP, "khugepaged-alloc-sleep", "60000" },
	{ TOP, "khugepaged-max-ptes-none", "PTES-1" },
	{ TOP, "khugepaged-max-ptes-swap", "PTES/8" },
	{ TOP, "khugepaged-max-ptes-shared", "PTES/2" },
	{ OTHERS, "enabled", "never" },
	{ PMD, "enabled", "inherit" },
	{ OTHERS, "shmem", "never" },
	{ PMD, "shmem", "inherit" },
	{ TOP, NULL, NULL },
};

static const struct rule off_rules[] = {
	{ TOP, "enabled", "never" }, { TOP, "shmem", "never" },	   { OTHERS, "enabled", "never" },
	{ PMD, "enabled", "never" }, { OTHERS, "shmem", "never" }, { PMD, "shmem", "never" },
	{ TOP, NULL, NULL },
};

static const struct rule database_rules[] = {
	{ TOP, "enabled", "madvise" },
	{ TOP, "shmem", "within_size" },
	{ TOP, "defrag", "defer+madvise" },
	{ TOP, "khugepaged-max-ptes-none", "0" },
	{ OTHERS, "enabled", "never" },
	{ PMD, "enabled", "inherit" },
	{ BELOW_64K, "shmem", "never" },
	{ FROM_64K, "shmem", "within_size" },
	{ TOP, NULL, NULL },
};

static const struct rule throughput_rules[] = {
	{ TOP, "enabled", "always" },	    { TOP, "shmem", "within_size" },
	{ TOP, "defrag", "defer+madvise" }, { TOP, "use-zero-page", "on" },
	{ TOP, "khugepaged-defrag", "on" }, { OTHERS, "enabled", "inherit" },
	{ PMD, "enabled", "inherit" },	    { OTHERS, "shmem", "within_size" },
	{ PMD, "shmem", "within_size" },    { TOP, NULL, NULL },
};

static const struct rule latency_rules[] = {
	{ TOP, "enabled", "madvise" },
	{ TOP, "shmem", "advise" },
	{ TOP, "defrag", "never" },
	{ TOP, "khugepaged-defrag", "off" },
	{ OTHERS, "enabled", "madvise" },
	{ PMD, "enabled", "inherit" },
	{ OTHERS, "shmem", "advise" },
	{ PMD, "shmem", "advise" },
	{ TOP, NULL, NULL },
};

static const struct preset presets[] = {
	{ "default", "as a fresh kernel has it",
	  "The PMD size inherits, every other size is never. What a kernel starts with for all "
	  "sizes was chosen when it was built, and cannot be read: this takes the choice of an "
	  "unchanged configuration, always for anonymous memory and never for shared memory.",
	  default_rules },
	{ "off", "no huge pages but those that programs collapse themselves",
	  "Memory stays in base pages: to compare against, or where huge pages waste memory. "
	  "MADV_COLLAPSE works on, and huge pages that are there stay until they are freed.",
	  off_rules },
	{ "database-shmem", "for a database with a large buffer in shared memory",
	  "Shared memory takes the largest size from 64K up that lies within the mapping, so that "
	  "a large buffer needs few TLB entries and nothing is filled beyond its end. Anonymous "
	  "memory, such as that of each connection, gets huge pages only where asked for, and "
	  "khugepaged fills no holes.",
	  database_rules },
	{ "throughput", "for computations that fill what they allocate",
	  "Every size is used wherever it fits, for anonymous and shared memory, and memory is "
	  "compacted in the background. Memory that programs allocate and do not fill is lost to "
	  "others.",
	  throughput_rules },
	{ "low-latency", "for services where a slow page fault hurts",
	  "A fault takes a huge page only where the program asked for one and one is free, and "
	  "never stops to reclaim or compact; nor does khugepaged.",
	  latency_rules },
};

const char *mthp_preset_word(size_t i, const char **help)
{
	if (i >= TM_ARRAY_SIZE(presets))
		return NULL;
	*help = presets[i].summary;
	return presets[i].name;
}

void mthp_fold(struct tm_buf *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column && column + 1 + len > 76) {
			tm_buf_addc(out, '\n');
			column = 0;
		}
		tm_buf_addf(out, "%s%.*s", column ? " " : "  ", (int)len, text);
		column += len + (column ? 1 : 0);
		text += len;
		text += *text == ' ';
	}
	tm_buf_addc(out, '\n');
}

static void add_reason(struct tm_buf *out, const struct preset *preset)
{
	tm_buf_addf(out, "%s: %s\n", preset->name, preset->summary);
	mthp_fold(out, preset->reason);
}

static const char *target_name(enum target target)
{
	static const char *const names[] = {
		[TOP] = "top",
		[PMD] = "the PMD size",
		[OTHERS] = "other sizes",
		[FROM_64K] = "sizes from 64K up",
		[BELOW_64K] = "sizes below 64K",
	};

	return names[target];
}

/* What it sets, for each target. */
static void add_rules(struct tm_buf *out, const struct preset *preset)
{
	for (int target = TOP; target <= BELOW_64K; target++) {
		struct tm_buf line = TM_BUF_INIT;

		for (const struct rule *rule = preset->rules; rule->key; rule++)
			if ((int)rule->target == target)
				tm_buf_addf(&line, " %s=%s", rule->key, rule->value);
		if (line.len) {
			struct tm_buf text = TM_BUF_INIT;

			tm_buf_addf(&text, "%s:%s", target_name((enum target)target),
				    tm_buf_str(&line));
			mthp_fold(out, tm_buf_str(&text));
			tm_buf_release(&text);
		}
		tm_buf_release(&line);
	}
}

static int list_presets(struct app *app)
{
	struct tm_buf out = TM_BUF_INIT;

	for (size_t i = 0; i < TM_ARRAY_SIZE(presets); i++) {
		if (i)
			tm_buf_addc(&out, '\n');
		add_reason(&out, &presets[i]);
		if (app->verbose)
			add_rules(&out, &presets[i]);
	}
	out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	return EXIT_DONE;
}

/* "PTES*8" as a number; false: this machine does not say how many there are. */
static bool value_of(const struct tm_thp *thp, const char *value, char text[32])
{
	uint64_t ptes;

	if (strncmp(value, "PTES", 4) != 0) {
		snprintf(text, 32, "%s", value);
		return true;
	}
	if (!tm_num_is(&thp->pmd_bytes) || !thp->page_bytes)
		return false;
	ptes = thp->pmd_bytes.value / thp->page_bytes;
	if (!strcmp(value + 4, "-1"))
		ptes -= 1;
	else if (!strcmp(value + 4, "*8"))
		ptes *= 8;
	else
		ptes /= (uint64_t)(value[5] - '0');
	snprintf(text, 32, "%" PRIu64, ptes);
	return true;
}

static bool is_meant(const struct tm_thp *thp, const struct tm_thp_size *size, enum target target)
{
	switch (target) {
	case PMD:
		return size->pmd;
	case OTHERS:
		/* Without a mark the largest of anonymous memory is that of the PMD, or none is. */
		return !size->pmd && tm_num_is(&thp->pmd_bytes);
	case FROM_64K:
		return size->kib >= 64;
	case BELOW_64K:
		return size->kib < 64;
	default:
		return false;
	}
}

/* What this kernel lacks is left out, and said. */
static int want_one(struct settings *settings, const struct tm_root *root,
		    const struct tm_knob *knob, long instance, const char *value,
		    struct tm_buf *left, struct tm_error *err)
{
	int rc = settings_want(settings, root, knob, instance, value, err);

	if (rc != -ENOTSUP && rc != -EINVAL)
		return rc;
	tm_buf_adds(left, left->len ? ", " : "");
	settings_name(knob, instance, left);
	return 0;
}

static int want_rule(struct settings *settings, const struct tm_root *root,
		     const struct tm_thp *thp, const struct rule *rule, struct tm_buf *left,
		     struct tm_error *err)
{
	const struct tm_knob *knob =
		tm_knob_find(rule->target == TOP ? TM_KNOBS_THP : TM_KNOBS_MTHP, rule->key);
	char value[32];
	int rc = 0;

	if (!value_of(thp, rule->value, value)) {
		tm_buf_addf(left, "%stop %s", left->len ? ", " : "", rule->key);
		return 0;
	}
	if (rule->target == TOP)
		return want_one(settings, root, knob, 0, value, left, err);
	for (size_t i = 0; i < thp->nr_sizes && !rc; i++) {
		const struct tm_thp_size *size = &thp->sizes[i];
		const struct tm_setting *setting = !strcmp(rule->key, "shmem") ? &size->shmem :
										 &size->enabled;

		if (is_meant(thp, size, rule->target) && setting->value.state != TM_ABSENT)
			rc = want_one(settings, root, knob, size->kib, value, left, err);
	}
	return rc;
}

static int apply_preset(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	const struct preset *preset = presets;
	struct tm_buf left = TM_BUF_INIT, text = TM_BUF_INIT;
	struct settings settings = { 0 };
	struct tm_error err = { 0 };
	struct tm_thp thp = { 0 };
	char title[64];
	int code = mthp_recover(app, root), rc;

	if (code != EXIT_DONE)
		return code;
	while (strcmp(preset->name, app->argv[0]) != 0)
		preset++;
	rc = tm_thp_read(&thp, root, &err);
	if (!rc && !thp.page_bytes && tm_num_is(&m->page_size))
		thp.page_bytes = m->page_size.value;
	if (!rc && thp.state != TM_KNOWN)
		rc = mthp_lacking(&thp, &err);
	for (const struct rule *rule = preset->rules; rule->key && !rc; rule++)
		rc = want_rule(&settings, root, &thp, rule, &left, &err);
	if (!rc && !settings.nr)
		rc = mthp_lacking(&thp, &err);
	if (rc) {
		code = report(app, mthp_exit(rc), &err);
	} else {
		if (!app->json && !app->quiet && !app->raw && !app->noheadings) {
			add_reason(&text, preset);
			tm_buf_addc(&text, '\n');
			out_text(app, tm_buf_str(&text));
		}
		if (left.len)
			warn(app, "left out, as this kernel has it not: %s", tm_buf_str(&left));
		snprintf(title, sizeof(title), "mthp preset %s", preset->name);
		code = mthp_apply(app, root, m, &settings, title);
	}
	tm_buf_release(&left);
	tm_buf_release(&text);
	settings_release(&settings);
	tm_thp_release(&thp);
	return code;
}

int mthp_preset(struct app *app)
{
	struct tm_error err = { 0 };

	if (app->argc && !app_option(app, "list"))
		return apply_with_machine(app, apply_preset);
	if (!app->argc && !app->json)
		return list_presets(app);
	if (app->argc)
		tm_error_set(&err, EINVAL, "--list: not together with a preset's name");
	else
		tm_error_set(&err, EINVAL, "--json: needs a preset's name");
	return report(app, EXIT_USAGE, &err);
}
