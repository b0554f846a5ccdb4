/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of events; those of CPUs that this machine need not have, by libpfm4's LIBPFM_FORCE_PMU. */
#include "tests/unit/tree.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>

#include "lib/sample/pmu.h"

/* Without letting it look at this machine, which a child that forces a model must do first. */
static bool have_libpfm(void)
{
	void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	if (handle)
		dlclose(handle);
	return handle != NULL;
}

static bool complain(const char *model, const char *name, const char *what, const char *got)
{
	fprintf(stderr, "%s: %s: %s: %s\n", model, name, what, got);
	return false;
}

/* Runs a check in a process of its own, where libpfm4 takes the CPU for this model. */
static void as_model(const char *model, struct tree *tree, const void *what,
		     bool (*check)(struct tree *tree, const char *model, const void *what))
{
	char verdict = 'x';
	int channel[2];
	pid_t pid;

	assert_int_equal(pipe(channel), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("LIBPFM_FORCE_PMU", model, 1);
		verdict = check(tree, model, what) ? 'y' : 'n';
		if (write(channel[1], &verdict, 1) == 1)
			kill(getpid(), SIGKILL); /* what it inherited is no leak of its own */
		_exit(1);
	}
	close(channel[1]);
	assert_int_equal(read(channel[0], &verdict, 1), 1);
	close(channel[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(verdict, 'y');
}

static void test_generic(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003 },
		{ "dtlb-LOAD-misses", PERF_TYPE_HW_CACHE, 0x10003 },
		{ "dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103 },
		{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004 },
		{ "dTLB-loads", PERF_TYPE_HW_CACHE, 0x3 },
		{ "cycles", PERF_TYPE_HARDWARE, 0 },
		{ "page-faults", PERF_TYPE_SOFTWARE, 2 },
	};
	struct tree *tree = *state;
	struct tm_pmu pmu;

	tm_pmu_open(&pmu, &tree->root);
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++) {
		struct tm_pmu_event event = { 0 };

		assert_int_equal(tm_pmu_find(&pmu, cases[i].name, &event, NULL), 0);
		assert_string_equal(event.name, cases[i].name);
		assert_null(event.full);
		assert_int_equal(event.attr.type, cases[i].type);
		assert_int_equal(event.attr.config, cases[i].config);
		assert_int_equal(event.attr.exclude_kernel, 0);
		tm_pmu_event_release(&event);
	}
	assert_null(pmu.pfm); /* not even loaded */
	tm_pmu_close(&pmu);
}

static void test_tracepoint(void **state)
{
	struct tree *tree = *state;
	struct tm_pmu_event event = { 0 };
	struct tm_error err;
	struct tm_pmu pmu;

	tree_text(tree, "sys/kernel/tracing/events/migrate/mm_migrate_pages/id", "321\n");
	tree_text(tree, "sys/kernel/tracing/events/migrate/mm_migrate_pages/format", "\n");
	tm_pmu_open(&pmu, &tree->root);
	assert_int_equal(tm_pmu_find(&pmu, "migrate:mm_migrate_pages", &event, &err), 0);
	assert_int_equal(event.attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(event.attr.config, 321);
	tm_pmu_event_release(&event);
	tm_pmu_close(&pmu);
}

static bool check_no_tracefs(struct tree *tree, const char *model, const void *what)
{
	struct tm_pmu_event event = { 0 };
	struct tm_error err;
	struct tm_pmu pmu;
	int rc;

	(void)what;
	tm_pmu_open(&pmu, &tree->root);
	rc = tm_pmu_find(&pmu, "migrate:mm_migrate_pages", &event, &err);
	tm_pmu_close(&pmu);
	if (rc != -ENOENT || !strstr(err.text, "tracefs is not mounted") ||
	    !strstr(err.hint, "mount -t tracefs"))
		return complain(model, "without tracefs", err.text, err.hint);
	return true;
}

static void test_no_tracefs(void **state)
{
	if (!have_libpfm())
		skip();
	as_model("perf", *state, NULL, check_no_tracefs);
}

struct encoding {
	const char *model, *name;
	uint64_t config; /* 0: this model has no such event */
};

/*
 * Event number in bits 0-7, unit mask in bits 8-15. Intel SDM volume 3, AMD PPR of each family, Arm
 * ARM D13 ("common events").
 */
static const struct encoding encodings[] = {
#if defined(__x86_64__)
	{ "skx", "itlb.itlb_flush", 0x01ae },
	{ "skx", "ITLB:ITLB_FLUSH", 0x01ae },
	{ "skx", "skx::itlb:itlb_flush", 0x01ae },
	{ "skx", "tlb_flush.dtlb_thread", 0x01bd },
	{ "skx", "tlb_flush.stlb_any", 0x20bd },
	{ "skx", "dtlb_load_misses.walk_completed", 0x0e08 },
	{ "icx", "itlb.itlb_flush", 0 },
	{ "icx", "tlb_flush.dtlb_thread", 0x01bd },
	{ "icx", "tlb_flush.stlb_any", 0x20bd },
	{ "spr", "tlb_flush.stlb_any", 0 },
	{ "spr", "dtlb_load_misses.walk_completed", 0x0e12 },
	{ "amd64_fam19h_zen3", "tlb_flushes", 0xff78 },
	{ "amd64_fam19h_zen3", "tlb_flushes:all", 0xff78 },
	{ "amd64_fam19h_zen3", "tlb_flush.stlb_any", 0 },
	{ "amd64_fam19h_zen4", "tlb_flushes", 0xff78 },
#elif defined(__aarch64__)
	{ "arm_n1", "dtlb_walk", 0x34 },
	{ "arm_n1", "itlb_walk", 0x35 },
	{ "arm_n1", "l1d_tlb_refill", 0x05 },
	{ "arm_n1", "l1i_tlb_refill", 0x02 },
	{ "arm_v1", "dtlb_walk", 0x34 },
	{ "arm_n2", "l2d_tlb_refill", 0x2d },
	{ "arm_n2", "tlb_flushes", 0 },
#endif
	{ NULL, NULL, 0 },
};

static bool check_encoding(struct tree *tree, const char *model, const void *what)
{
	const struct encoding *e = what;
	struct tm_pmu_event event = { 0 };
	struct tm_error err = { 0 };
	bool good = true;
	struct tm_pmu pmu;
	char got[32];
	int rc;

	tm_pmu_open(&pmu, &tree->root);
	rc = tm_pmu_find(&pmu, e->name, &event, &err);
	snprintf(got, sizeof(got), "%d", rc);
	if (rc != (e->config ? 0 : -ENOENT))
		good = complain(model, e->name, err.text, got);
	snprintf(got, sizeof(got), "%#llx", (unsigned long long)event.attr.config);
	if (!rc && (event.attr.config != e->config || event.attr.type != PERF_TYPE_RAW))
		good = complain(model, e->name, "its encoding", got);
	if (!rc && (event.attr.exclude_user || event.attr.exclude_kernel))
		good = complain(model, e->name, "not all is counted", got);
	if (!rc && (!event.full || strncmp(event.full, model, strlen(model)) != 0 ||
		    strcmp(event.name, e->name) != 0))
		good = complain(model, e->name, "its name", event.full ? event.full : "");
	tm_pmu_event_release(&event);
	tm_pmu_close(&pmu);
	return good;
}

static void test_encodings(void **state)
{
	if (!have_libpfm())
		skip();
	for (const struct encoding *e = encodings; e->model; e++)
		as_model(e->model, *state, e, check_encoding);
}

static bool check_defaults(struct tree *tree, const char *model, const void *what)
{
	struct tm_pmu_event *events;
	char names[512] = "";
	struct tm_pmu pmu;
	bool good = true;
	size_t nr;

	tm_pmu_open(&pmu, &tree->root);
	if (tm_pmu_defaults(&pmu, &events, &nr))
		return complain(model, "defaults", "failed", "");
	for (size_t e = 0; e < nr; e++) {
		good &= e >= 3 || events[e].attr.type == PERF_TYPE_HW_CACHE;
		if (e >= 3) {
			strcat(names, " ");
			strcat(names, events[e].name);
		}
		tm_pmu_event_release(&events[e]);
	}
	free(events);
	tm_pmu_close(&pmu);
	if (!good || strcmp(names, what) != 0)
		return complain(model, "defaults", names, what);
	return true;
}

/* What is shown unasked, by model: only what that model has. */
static void test_defaults(void **state)
{
	static const struct {
		const char *model, *names;
	} cases[] = {
#if defined(__x86_64__)
		{ "skx", " itlb.itlb_flush tlb_flush.dtlb_thread tlb_flush.stlb_any" },
		{ "icx", " tlb_flush.dtlb_thread tlb_flush.stlb_any" },
		{ "spr", "" },
		{ "amd64_fam19h_zen3", " tlb_flushes" },
		{ "amd64_fam19h_zen4", " tlb_flushes" },
#elif defined(__aarch64__)
		{ "arm_n1", " l1d_tlb_refill l1i_tlb_refill dtlb_walk itlb_walk" },
#endif
		{ NULL, NULL },
	};

	if (!have_libpfm())
		skip();
	for (size_t i = 0; cases[i].model; i++)
		as_model(cases[i].model, *state, cases[i].names, check_defaults);
}

/* Of a model of this architecture: libpfm4 knows no others. */
#if defined(__x86_64__)
struct mistake {
	const char *name;
	int rc;
	const char *text, *hint;
};

static bool check_mistake(struct tree *tree, const char *model, const void *what)
{
	const struct mistake *m = what;
	struct tm_pmu_event event = { 0 };
	struct tm_error err = { 0 };
	struct tm_pmu pmu;
	int rc;

	tm_pmu_open(&pmu, &tree->root);
	rc = tm_pmu_find(&pmu, m->name, &event, &err);
	tm_pmu_close(&pmu);
	if (rc != m->rc || !strstr(err.text, m->text) || strcmp(err.hint, m->hint) != 0 ||
	    event.name)
		return complain(model, m->name, err.text, err.hint);
	return true;
}

static void test_mistakes(void **state)
{
	static const struct mistake cases[] = {
		{ "tlb_flsh.stlb_any", -ENOENT, "this CPU has none of that name",
		  "did you mean TLB_FLUSH?" },
		{ "tlb_flush.stlb_ayn", -EINVAL,
		  "event tlb_flush.stlb_ayn: ", "did you mean TLB_FLUSH:STLB_ANY?" },
		{ "skx::itbl:itlb_flush", -ENOENT, "", "did you mean ITLB?" },
		{ "dTLB-load-mises", -ENOENT, "", "did you mean dTLB-load-misses?" },
		{ "zzzzqqqqxxxx", -ENOENT, "event zzzzqqqqxxxx: this CPU has none", "" },
		{ "", -ENOENT, "", "" },
		{ "../../../etc/passwd:x", -ENOENT, "", "" },
	};
	struct tree *tree = *state;

	if (!have_libpfm())
		skip();
	tree_folder(tree, "sys/kernel/tracing/events");
	for (size_t i = 0; i < TM_ARRAY_SIZE(cases); i++)
		as_model("skx", tree, &cases[i], check_mistake);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_generic),
		tree_test(test_tracepoint),
		tree_test(test_no_tracefs),
		tree_test(test_encodings),
		tree_test(test_defaults),
#if defined(__x86_64__)
		tree_test(test_mistakes),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
