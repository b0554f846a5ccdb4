/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/compiler.h"
#include "lib/base/nearest.h"
#include "lib/sample/libpfm.h"
#include "lib/sample/perf-trace.h"

#define CACHE(cache, op, result)                                                              \
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
			     PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define HARDWARE(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define SOFTWARE(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name

/* The kernel's own names, as perf-list(1) writes them; those first that are shown unasked. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} generic[] = {
	{ "dTLB-load-misses", CACHE(DTLB, READ, MISS) },
	{ "dTLB-store-misses", CACHE(DTLB, WRITE, MISS) },
	{ "iTLB-load-misses", CACHE(ITLB, READ, MISS) },
	{ "dTLB-loads", CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-stores", CACHE(DTLB, WRITE, ACCESS) },
	{ "iTLB-loads", CACHE(ITLB, READ, ACCESS) },
	{ "LLC-load-misses", CACHE(LL, READ, MISS) },
	{ "LLC-loads", CACHE(LL, READ, ACCESS) },
	{ "cycles", HARDWARE(CPU_CYCLES) },
	{ "instructions", HARDWARE(INSTRUCTIONS) },
	{ "cache-references", HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", HARDWARE(CACHE_MISSES) },
	{ "page-faults", SOFTWARE(PAGE_FAULTS) },
	{ "minor-faults", SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults", SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "context-switches", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations", SOFTWARE(CPU_MIGRATIONS) },
};
#define NR_UNASKED 3

/*
 * What CPUs tell of TLB flushes, and Arm's of walks, which follow them. Each is taken where libpfm4
 * has it for this CPU: Intel's first up to Skylake, all three up to Ice Lake; AMD's from Zen 2 on.
 */
static const char *const own[] = {
	"itlb.itlb_flush", "tlb_flush.dtlb_thread", "tlb_flush.stlb_any", "tlb_flushes",
	"l1d_tlb_refill",  "l1i_tlb_refill",	    "dtlb_walk",	  "itlb_walk",
};

void tm_pmu_open(struct tm_pmu *pmu, const struct tm_root *root)
{
	*pmu = (struct tm_pmu){ .root = root };
}

void tm_pmu_close(struct tm_pmu *pmu)
{
	if (pmu->pfm)
		tm_libpfm_unload(pmu->pfm);
	free(pmu->pfm);
	pmu->pfm = NULL;
}

void tm_pmu_event_release(struct tm_pmu_event *event)
{
	free(event->name);
	free(event->full);
	tm_idset_release(&event->cpus);
	*event = (struct tm_pmu_event){ 0 };
}

static int load(struct tm_pmu *pmu, struct tm_error *err)
{
	struct tm_libpfm *pfm;
	int rc;

	if (pmu->pfm)
		return 0;
	pfm = calloc(1, sizeof(*pfm));
	if (!pfm)
		return tm_error_nomem(err);
	rc = tm_libpfm_load(pfm, err);
	if (rc) {
		free(pfm);
		return rc;
	}
	pmu->pfm = pfm;
	return 0;
}

static bool find_generic(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < TM_ARRAY_SIZE(generic); i++) {
		if (strcasecmp(generic[i].name, name))
			continue;
		attr->type = generic[i].type;
		attr->config = generic[i].config;
		return true;
	}
	return false;
}

/*
 * "group:name", each a file name of tracefs. TM_UNSUPPORTED where it is not of this form. *err only
 * where it cannot be known.
 */
static enum tm_state find_tracepoint(const struct tm_root *root, const char *name,
				     struct perf_event_attr *attr, struct tm_error *err)
{
	const char *colon = strchr(name, ':');
	struct tm_tracepoint tracepoint;
	enum tm_state state;
	char *group;

	if (!colon || colon == name || strchr(colon + 1, ':') || strpbrk(name, "/.") || !colon[1])
		return TM_UNSUPPORTED;
	group = strndup(name, (size_t)(colon - name));
	if (!group)
		return TM_UNKNOWN;
	state = tm_tracepoint_find(root, group, colon + 1, &tracepoint, err);
	free(group);
	if (state != TM_KNOWN)
		return state;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = tracepoint.id;
	tm_tracepoint_release(&tracepoint);
	return state;
}

#define WORD_SIZE 64

/* The word at the start of the text, in upper case as libpfm4's names are. Returns what follows. */
static const char *take_word(const char *text, char word[WORD_SIZE])
{
	size_t len = strcspn(text, ":."), used = TM_MIN(len, (size_t)WORD_SIZE - 1);

	for (size_t i = 0; i < used; i++)
		word[i] = (char)toupper((unsigned char)text[i]);
	word[used] = '\0';
	return text + len;
}

static void try_parts(const struct tm_libpfm *pfm, int event, int nr, struct tm_nearest *nearest)
{
	for (int i = 0; i < nr; i++) {
		pfm_event_attr_info_t info = { .size = sizeof(info) };

		if (pfm->pfm_get_event_attr_info(event, i, PFM_OS_PERF_EVENT_EXT, &info) ==
			    PFM_SUCCESS &&
		    info.type == PFM_ATTR_UMASK)
			tm_nearest_try(nearest, info.name);
	}
}

/* Looks for what was perhaps meant: "MODEL::EVENT:PART", of which the first may lack. */
static void suggest(const struct tm_libpfm *pfm, const char *name, struct tm_error *err)
{
	const char *model = strstr(name, "::"), *rest;
	char first[WORD_SIZE], second[WORD_SIZE] = "";
	struct tm_nearest event = { .word = first }, part = { .word = second };
	struct tm_nearest kernel = { .word = name, .len = strlen(name) };

	rest = take_word(model ? model + 2 : name, first);
	event.len = strlen(first);
	if (*rest)
		take_word(rest + 1, second);
	part.len = strlen(second);
	for (int number = 0; number < PFM_PMU_MAX; number++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm->pfm_get_pmu_info((pfm_pmu_t)number, &pmu) != PFM_SUCCESS ||
		    !pmu.is_present)
			continue;
		for (int i = pmu.first_event; i != -1; i = pfm->pfm_get_event_next(i)) {
			pfm_event_info_t info = { .size = sizeof(info) };

			if (pfm->pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
				continue;
			tm_nearest_try(&event, info.name);
			if (!strcmp(info.name, first))
				try_parts(pfm, i, info.nattrs, &part);
		}
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(generic); i++)
		tm_nearest_try(&kernel, generic[i].name);
	if (part.best && strcmp(part.best, second) != 0)
		tm_error_hint(err, "did you mean %s:%s?", first, part.best);
	else if (kernel.best && (!event.best || kernel.distance <= event.distance))
		tm_error_hint(err, "did you mean %s?", kernel.best);
	else if (event.best && strcmp(event.best, first) != 0)
		tm_error_hint(err, "did you mean %s?", event.best);
}

/* What libpfm4 says about a name. */
static int find_own(struct tm_pmu *pmu, const char *name, struct tm_pmu_event *event,
		    struct tm_error *err)
{
	const struct tm_libpfm *pfm = pmu->pfm;
	pfm_perf_encode_arg_t arg = {
		.attr = &event->attr,
		.fstr = &event->full,
		.size = sizeof(arg),
	};
	int rc;

	event->attr.size = sizeof(event->attr);
	rc = pfm->pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc == PFM_SUCCESS)
		return 0;
	if (rc == PFM_ERR_NOMEM)
		return tm_error_nomem(err);
	if (rc == PFM_ERR_NOTFOUND) {
		tm_error_set(err, ENOENT, "event %s: this CPU has none of that name", name);
		suggest(pfm, name, err);
		return -ENOENT;
	}
	tm_error_set(err, EINVAL, "event %s: %s", name, pfm->pfm_strerror(rc));
	suggest(pfm, name, err);
	return -EINVAL;
}

/*
 * The CPUs that have the PMU of this type: the core types of unlike CPUs each have one. None where
 * the kernel does not say, which is everywhere.
 */
static int find_cpus(const struct tm_root *root, uint32_t type, struct tm_idset *cpus)
{
	static const char folder[] = "sys/bus/event_source/devices";
	struct tm_buf text = TM_BUF_INIT;
	struct tm_scan scan;
	const char *name;
	int rc = 0;

	if (type < PERF_TYPE_MAX || tm_scan_open(root, folder, &scan))
		return 0;
	while (!rc && (name = tm_scan_next(&scan))) {
		char path[TM_PATH_MAX];

		if (tm_path_format(path, "%s/%s/type", folder, name) ||
		    tm_root_read(root, path, 64, &text) ||
		    strtoul(tm_buf_str(&text), NULL, 10) != type)
			continue;
		if (!tm_path_format(path, "%s/%s/cpus", folder, name) &&
		    !tm_root_read(root, path, 64 << 10, &text))
			rc = tm_idset_parse_list(cpus, tm_buf_str(&text));
		break;
	}
	tm_scan_close(&scan);
	tm_buf_release(&text);
	return rc == -ENOMEM ? rc : 0;
}

static int find(struct tm_pmu *pmu, const char *name, struct tm_pmu_event *event,
		struct tm_error *err)
{
	struct tm_error trace = { 0 };
	enum tm_state state;
	int rc;

	if (find_generic(name, &event->attr))
		return 0;
	state = find_tracepoint(pmu->root, name, &event->attr, &trace);
	if (state == TM_KNOWN)
		return 0;
	rc = load(pmu, err);
	if (!rc)
		rc = find_own(pmu, name, event, err);
	/* That it may be one which cannot be seen says more. */
	if (rc && (state == TM_ABSENT || state == TM_DENIED) && rc != -ENOMEM) {
		tm_error_set(err, ENOENT, "event %s: no name of this CPU; %s", name, trace.text);
		tm_error_hint(err, "%s", trace.hint);
		rc = -ENOENT;
	}
	return rc ? rc : find_cpus(pmu->root, event->attr.type, &event->cpus);
}

int tm_pmu_find(struct tm_pmu *pmu, const char *name, struct tm_pmu_event *event,
		struct tm_error *err)
{
	struct tm_pmu_event found = { .name = strdup(name) };
	int rc = found.name ? find(pmu, name, &found, err) : -ENOMEM;

	if (rc) {
		tm_pmu_event_release(&found);
		return rc == -ENOMEM ? tm_error_nomem(err) : rc;
	}
	*event = found;
	return 0;
}

int tm_pmu_defaults(struct tm_pmu *pmu, struct tm_pmu_event **events, size_t *nr)
{
	struct tm_pmu_event *list = calloc(NR_UNASKED + TM_ARRAY_SIZE(own), sizeof(*list));
	size_t found = 0;
	int rc = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < NR_UNASKED && !rc; i++) {
		rc = tm_pmu_find(pmu, generic[i].name, &list[found], NULL);
		found += !rc;
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(own) && !rc; i++) {
		rc = tm_pmu_find(pmu, own[i], &list[found], NULL);
		found += !rc;
		if (rc == -ENOSYS)
			break;
		rc = rc == -ENOMEM ? rc : 0;
	}
	if (rc == -ENOMEM) {
		while (found)
			tm_pmu_event_release(&list[--found]);
		free(list);
		return rc;
	}
	*events = list;
	*nr = found;
	return 0;
}
