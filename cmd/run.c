/* SPDX-License-Identifier: GPL-2.0-only */
/* `tiermem run`: executes a command under a memory policy. */
#include "cmd/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/apply.h"
#include "cmd/recover.h"
#include "cmd/run-view.h"

static const char *kind_word(size_t i, const char **help)
{
	static const enum tm_kind kinds[] = { TM_KIND_DRAM, TM_KIND_HBM, TM_KIND_CXL,
					      TM_KIND_PMEM };
	static const char *const text[] = { "ordinary memory", "high-bandwidth memory",
					    "memory behind CXL", "persistent memory" };

	if (i >= TM_ARRAY_SIZE(kinds))
		return NULL;
	*help = text[i];
	return tm_kind_name(kinds[i]);
}

static const struct option options[] = {
	{ "weighted", 'w', NULL, VALUE_TEXT,
	  "spread pages over the nodes by their weights (the default)", NULL },
	{ "interleave", 'i', NULL, VALUE_TEXT, "spread pages over the nodes evenly", NULL },
	{ "bind", 'b', NULL, VALUE_TEXT, "take memory from these nodes only", NULL },
	{ "preferred", 'p', NULL, VALUE_TEXT,
	  "take memory from these nodes as long as they have some", NULL },
	{ "nodes", 'n', "LIST", VALUE_TEXT, "these nodes, such as 0,2-3", NULL },
	{ "tiers", 't', "LIST", VALUE_TEXT, "of the local nodes those of these tiers", NULL },
	{ "kind", 'k', "LIST", VALUE_WORDS,
	  "of the local nodes those of these kinds: dram, hbm, cxl, pmem", kind_word },
	{ "all", 'a', NULL, VALUE_TEXT, "not only local nodes, but every node with memory", NULL },
	{ "weights", 'W', "LIST", VALUE_TEXT,
	  "these weights while the command runs, one per node, such as 5,1", NULL },
	{ "large", 'l', "SIZE", VALUE_TEXT,
	  "only for anonymous mappings of this size and above, such as 16M", NULL },
	{ "fallback", 'f', NULL, VALUE_TEXT,
	  "where the kernel has no weighted interleave, spread evenly", NULL },
	{ "show", 's', "PID", VALUE_NUMBER, "show where the memory of a process lies instead",
	  NULL },
	APPLY_OPTIONS,
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

static const char *kernel_name(const struct run *run)
{
	const struct tm_text *kernel = &run->w.machine.kernel;

	return kernel->state == TM_KNOWN ? kernel->value : "(unknown)";
}

/* The kernel does not know the policy. */
static int lacks_policy(struct run *run, struct tm_error *err)
{
	if (run->policy == TM_POLICY_WEIGHTED_INTERLEAVE) {
		tm_error_set(err, ENOTSUP, "kernel %s has no weighted interleave",
			     kernel_name(run));
		tm_error_hint(err,
			      "it came with kernel 6.9; --fallback spreads pages evenly instead");
	} else {
		tm_error_set(err, ENOTSUP, "kernel %s cannot prefer several nodes",
			     kernel_name(run));
		tm_error_hint(err, "that came with kernel 5.15; choose one with --nodes");
	}
	return -ENOTSUP;
}

/* Asks the kernel whether it will take the policy, and falls back if it may. */
static int try_policy(struct run *run, struct tm_error *err)
{
	bool weighted = run->policy == TM_POLICY_WEIGHTED_INTERLEAVE;
	int rc;

	if (run->w.root.live) {
		rc = tm_numa_load(&run->numa, err);
		if (rc)
			return rc;
		rc = tm_numa_try_policy(&run->numa, run->policy, &run->nodes);
	} else {
		rc = weighted && run->w.machine.weight_mode == TM_WEIGHTS_UNSUPPORTED ? -EINVAL : 0;
	}
	if (rc == -EINVAL && weighted && app_option(run->app, "fallback")) {
		run->fallen_back = true;
		run->policy = TM_POLICY_INTERLEAVE;
		rc = run->w.root.live ? tm_numa_try_policy(&run->numa, run->policy, &run->nodes) :
					0;
	}
	if (rc == -EINVAL && (run->policy == TM_POLICY_WEIGHTED_INTERLEAVE ||
			      run->policy == TM_POLICY_PREFERRED_MANY))
		return lacks_policy(run, err);
	if (rc) {
		tm_error_errno(err, -rc, "the policy %s", tm_policy_name(run->policy));
		if (rc == -EPERM)
			tm_error_hint(err,
				      "in a container, its seccomp filter must allow mbind and "
				      "set_mempolicy");
	}
	return rc;
}

static int exit_code(int rc)
{
	switch (rc) {
	case -EINVAL:
		return EXIT_USAGE;
	case -ENOTSUP:
		return EXIT_UNSUPPORTED;
	default:
		return CHILD_FAILED;
	}
}

/* Whatever can be found wrong is found before anything is done. */
static int prepare(struct run *run, struct tm_error *err)
{
	struct app *app = run->app;
	int rc = run_parse(run, err);

	if (!rc && app->argc == 0) {
		rc = tm_error_set(err, EINVAL, "needs a COMMAND to run");
		tm_error_hint(err, "or --show PID");
	}
	if (!rc && app->json && !app->dry_run)
		rc = tm_error_set(err, EINVAL,
				  "--json: standard output is the command's; only with --show or "
				  "--dry-run");
	if (rc)
		return exit_code(rc);
	if (tm_root_open(&run->w.root, app->root, err))
		return CHILD_FAILED;
	if (!run->w.root.live && !app->dry_run) {
		tm_error_set(err, EINVAL, "--root: a captured machine runs nothing");
		tm_error_hint(err, "--dry-run shows what would be done there");
		return EXIT_USAGE;
	}
	rc = tm_machine_read(&run->w.machine, &run->w.root, NULL, err);
	if (!rc && !run->w.machine.has_numa)
		rc = tm_error_set(err, ENOTSUP, "kernel %s has no NUMA nodes", kernel_name(run));
	if (!rc)
		rc = run_read_status(run, err);
	if (!rc)
		rc = run_choose_nodes(run, err);
	if (!rc)
		rc = try_policy(run, err);
	if (rc)
		return exit_code(rc);
	/* The command is of this machine, as is what is preloaded. */
	if (!run->w.root.live)
		return EXIT_DONE;
	rc = run_find_program(run, err);
	if (rc)
		return rc;
	if (run->large &&
	    (run_check_program(run->program, err) || run_find_library(&run->library, err)))
		return CHILD_FAILED;
	return EXIT_DONE;
}

static bool has_weights(const struct run *run)
{
	return run->weights && !run->fallen_back;
}

static void release(struct run *run)
{
	tm_numa_unload(&run->numa);
	free(run->program);
	free(run->library);
	free(run->weights);
	tm_idset_release(&run->cpus);
	tm_idset_release(&run->mems);
	tm_idset_release(&run->nodes);
	weights_release(&run->w);
}

/* Again from the start; the command's file and the library as well: nothing has been done yet. */
static int prepare_anew(struct run *run, struct tm_error *err)
{
	struct app *app = run->app;

	release(run);
	*run = (struct run){ .app = app, .w = { .root = { .fd = -1 } } };
	return prepare(run, err);
}

/*
 * One that sets weights takes back first what a killed one left of them; others only tell. Reports
 * errors.
 */
static int get_ready(struct run *run)
{
	struct app *app = run->app;
	struct tm_error err = { 0 };
	bool recovered = false;
	int rc, code = prepare(run, &err);

	if (code == EXIT_DONE && has_weights(run) && !app->dry_run) {
		code = recover_first(app, &run->w.root, &recovered);
		if (code != EXIT_DONE)
			return code == EXIT_FAILED ? CHILD_FAILED : code;
		if (recovered)
			code = prepare_anew(run, &err);
	} else if (code == EXIT_DONE && run->policy == TM_POLICY_WEIGHTED_INTERLEAVE) {
		recover_warn(app, &run->w.root);
	}
	if (code == EXIT_DONE && has_weights(run)) {
		rc = run_check_weights(run, &err);
		code = rc ? exit_code(rc) : EXIT_DONE;
	}
	return code == EXIT_DONE ? code : report(app, (enum exit_code)code, &err);
}

static int run_command_line(struct app *app)
{
	struct run run = { .app = app, .w = { .root = { .fd = -1 } } };
	int code = get_ready(&run);
	char *text;

	if (code != EXIT_DONE) {
		release(&run);
		return code;
	}
	if (run.fallen_back)
		warn(app, "kernel %s has no weighted interleave: pages are spread evenly",
		     kernel_name(&run));
	if (app->dry_run) {
		code = run_preview(&run);
	} else {
		text = app->verbose ? run_describe(&run) : NULL;
		if (text)
			fputs(text, stderr);
		free(text);
		code = run_changes_weights(&run) ? run_with_weights(&run) : run_become(&run);
	}
	release(&run);
	return code;
}

static int run(struct app *app)
{
	const char *pid = app_option(app, "show");

	return pid ? run_show(app, pid) : run_command_line(app);
}

const struct command run_command = {
	.name = "run",
	.summary = "run a command whose memory is spread over the tiers",
	.synopsis =
		"[--weighted | --interleave | --bind | --preferred] [--nodes LIST | [--tiers LIST] "
		"[--kind LIST] [--all]] [--weights LIST] [--large SIZE] [--] COMMAND...",
	.description =
		"Executes COMMAND under a memory policy, which its children inherit. Signals "
		"and the exit code are the command's.\n"
		"\n"
		"The nodes are those local to the CPUs that the command may run on: their own "
		"memory and the far memory that is nearest to them. Other sockets' memory is "
		"taken only with --all or --nodes, because it costs the link between them.\n"
		"\n"
		"With --large the process itself stays on local memory, and only its large "
		"arrays get the policy, through a small library that is preloaded.\n"
		"\n"
		"Weights are the machine's, as `tiermem weights` sets them. With --weights they "
		"are other ones while the command runs: tiermem stays as its parent and puts "
		"the old ones back.",
	.examples = "tiermem run -- ./stream  # by the weights that are set, over the local nodes\n"
		    "tiermem run --large 64M -- ./solver  # only its large arrays\n"
		    "tiermem run --weights 5,1 -- ./stream  # try other weights\n"
		    "tiermem run --bind --kind cxl -- ./cache  # far memory only\n"
		    "tiermem run --dry-run -- ./stream  # what would be done\n"
		    "tiermem run --show 1234  # where the memory of a process lies\n",
	.group = "Run",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN | GLOBAL_TABLE,
	.max_operands = -1,
	.operand = "COMMAND",
	.operand_kind = VALUE_FILE,
	.passes_command = true,
	.run = run,
};
