/* SPDX-License-Identifier: GPL-2.0-only */
/* Which nodes the policy is over. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/run-view.h"
#include "lib/model/local.h"

#define STATUS "proc/self/status"
#define STATUS_MAX (1u << 20)

int run_take_list(const char *status, const char *key, struct tm_idset *set)
{
	const char *line = strstr(status, key);
	char *list;
	int rc;

	if (!line)
		return -ENOENT;
	line += strlen(key);
	list = strndup(line, strcspn(line, "\n"));
	rc = list ? tm_idset_parse_list(set, list) : -ENOMEM;
	free(list);
	return rc;
}

/*
 * What the command will inherit from this process. A captured tree need not have it: everything is
 * allowed there.
 */
int run_read_status(struct run *run, struct tm_error *err)
{
	const struct tm_machine *m = &run->w.machine;
	struct tm_buf text = TM_BUF_INIT;
	int rc = tm_root_read(&run->w.root, STATUS, STATUS_MAX, &text);

	if (!rc)
		rc = run_take_list(tm_buf_str(&text), "\nCpus_allowed_list:", &run->cpus);
	if (!rc)
		rc = run_take_list(tm_buf_str(&text), "\nMems_allowed_list:", &run->mems);
	tm_buf_release(&text);
	if (rc == -ENOENT && !run->w.root.live) {
		rc = tm_idset_copy(&run->cpus, &m->online_cpus);
		if (!rc)
			rc = tm_idset_copy(&run->mems, &m->memory_nodes);
	}
	return rc ? tm_error_errno(err, -rc, "/" STATUS) : 0;
}

/* "nodes with memory: 0-1" */
static void hint_nodes(const struct run *run, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *list = tm_idset_format(&run->w.machine.memory_nodes);

	tm_error_hint(err, "nodes with memory: %s", list ? list : "");
}

static int named_nodes(struct run *run, const char *list, struct tm_error *err)
{
	const struct tm_machine *m = &run->w.machine;
	int rc = weights_parse_list(list, &run->nodes);

	if (rc == -ENOMEM)
		return tm_error_nomem(err);
	if (rc)
		return tm_error_set(err, EINVAL,
				    "--nodes: '%.100s' is not a list of nodes, each once, such as "
				    "0,2-3",
				    list);
	tm_idset_for_each(id, &run->nodes) {
		const struct tm_node *node = tm_machine_node(m, id);

		if (tm_idset_has(&m->memory_nodes, id) && node)
			continue;
		tm_error_set(err, EINVAL,
			     !node	   ? "--nodes: there is no node %ld" :
			     !node->online ? "--nodes: node %ld is offline" :
					     "--nodes: node %ld has no memory",
			     id);
		hint_nodes(run, err);
		return -EINVAL;
	}
	return 0;
}

static const struct tm_tier *find_tier(const struct tm_machine *m, long id)
{
	for (size_t i = 0; i < m->nr_tiers; i++)
		if (m->tiers[i].id == id)
			return &m->tiers[i];
	return NULL;
}

/* Takes out those that are in none of the tiers. */
static int keep_tiers(struct run *run, const char *list, struct tm_error *err)
{
	const struct tm_machine *m = &run->w.machine;
	struct tm_idset tiers = TM_IDSET_INIT;
	int rc = weights_parse_list(list, &tiers);

	if (rc == -ENOMEM) {
		rc = tm_error_nomem(err);
	} else if (rc) {
		rc = tm_error_set(err, EINVAL,
				  "--tiers: '%.100s' is not a list of tiers, each once, such as "
				  "4,22",
				  list);
	} else if (m->tiers_state != TM_KNOWN) {
		tm_error_set(err, ENOTSUP, "--tiers: this kernel shows no memory tiers");
		tm_error_hint(err, "they came with kernel 6.1; choose by --nodes or --kind");
		rc = -ENOTSUP;
	}
	tm_idset_for_each(id, &tiers) {
		if (rc)
			break;
		if (!find_tier(m, id)) {
			rc = tm_error_set(err, EINVAL, "--tiers: there is no tier %ld", id);
			tm_error_hint(err, "`tiermem topology --tree` shows the tiers");
		}
	}
	for (size_t i = 0; i < m->nr_nodes && !rc; i++)
		if (!tm_num_is(&m->nodes[i].tier) ||
		    !tm_idset_has(&tiers, (long)m->nodes[i].tier.value))
			tm_idset_remove(&run->nodes, m->nodes[i].id);
	tm_idset_release(&tiers);
	return rc;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncasecmp(list, word, len))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

static void keep_kinds(struct run *run, const char *list)
{
	const struct tm_machine *m = &run->w.machine;

	for (size_t i = 0; i < m->nr_nodes; i++)
		if (!has_word(list, tm_kind_name(m->nodes[i].kind)))
			tm_idset_remove(&run->nodes, m->nodes[i].id);
}

/* The options left nothing: is it elsewhere, or nowhere? */
static int nothing_chosen(struct run *run, struct tm_error *err)
{
	const char *tiers = app_option(run->app, "tiers"), *kinds = app_option(run->app, "kind");
	TM_CLEANUP(tm_freep) char *cpus = tm_idset_format(&run->cpus);
	bool all = app_option(run->app, "all") != NULL;

	if (!tiers && !kinds)
		tm_error_set(err, EINVAL, "no node with memory is known to be local to CPUs %s",
			     cpus ? cpus : "");
	else
		tm_error_set(err, EINVAL, "--%s%s%s: no %snode with memory is of %s",
			     tiers ? "tiers" : "kind", tiers && kinds ? ", --" : "",
			     tiers && kinds ? "kind" : "", all ? "" : "local ",
			     tiers && kinds ? "both" :
			     tiers	    ? tiers :
					      kinds);
	if (all)
		tm_error_hint(err, "`tiermem topology` shows kinds and tiers");
	else
		tm_error_hint(err, "--all looks on other sockets too, --nodes names nodes");
	return -EINVAL;
}

static int filtered_nodes(struct run *run, struct tm_error *err)
{
	const struct tm_machine *m = &run->w.machine;
	const char *tiers = app_option(run->app, "tiers"), *kinds = app_option(run->app, "kind");
	bool all = app_option(run->app, "all") != NULL;
	int rc = all ? tm_idset_copy(&run->nodes, &m->memory_nodes) :
		       tm_machine_local(m, &run->cpus, &run->nodes);

	if (rc)
		return tm_error_nomem(err);
	run->chosen = all || tiers || kinds;
	if (tiers)
		rc = keep_tiers(run, tiers, err);
	if (!rc && kinds)
		keep_kinds(run, kinds);
	if (!rc && tm_idset_empty(&run->nodes))
		rc = nothing_chosen(run, err);
	return rc;
}

/* The kernel would cut them silently, or refuse them without saying why. */
static int keep_allowed(struct run *run, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *wanted = tm_idset_format(&run->nodes);
	TM_CLEANUP(tm_freep) char *mems = tm_idset_format(&run->mems);
	TM_CLEANUP(tm_freep) char *left = NULL;
	struct tm_idset out = TM_IDSET_INIT;
	int rc = 0;

	tm_idset_for_each(id, &run->nodes)
		if (!tm_idset_has(&run->mems, id) && !rc)
			rc = tm_idset_add(&out, id);
	tm_idset_for_each(id, &out)
		tm_idset_remove(&run->nodes, id);
	left = tm_idset_format(&out);
	if (rc || !wanted || !mems || !left) {
		rc = tm_error_nomem(err);
	} else if (tm_idset_empty(&run->nodes)) {
		tm_error_set(err, ENODEV, "nodes %s are not among those that the cpuset allows, %s",
			     wanted, mems);
		tm_error_hint(err, "cpuset.mems of this control group says which are");
		rc = -ENODEV;
	} else if (!tm_idset_empty(&out) && app_option(run->app, "nodes")) {
		warn(run->app, "--nodes: left out is %s: the cpuset allows %s", left, mems);
	}
	tm_idset_release(&out);
	return rc;
}

/* The set with its weights, in the form in which plans are made of it. */
static int fill_weights(struct run *run, struct tm_error *err)
{
	struct weights *w = &run->w;
	size_t nr = tm_idset_count(&run->nodes);

	if (run->weights && run->nr_weights != nr) {
		TM_CLEANUP(tm_freep) char *list = tm_idset_format(&run->nodes);

		return tm_error_set(err, EINVAL, "--weights: %zu weight%s for %zu node%s (%s)",
				    run->nr_weights, run->nr_weights == 1 ? "" : "s", nr,
				    nr == 1 ? "" : "s", list ? list : "");
	}
	w->nodes = calloc(nr, sizeof(*w->nodes));
	if (!w->nodes)
		return tm_error_nomem(err);
	tm_idset_for_each(id, &run->nodes) {
		w->nodes[w->nr].node = tm_machine_node(&w->machine, id);
		w->nodes[w->nr].recommended = run->weights ? run->weights[w->nr] : 0;
		w->nr++;
	}
	return 0;
}

int run_choose_nodes(struct run *run, struct tm_error *err)
{
	const char *list = app_option(run->app, "nodes");
	int rc = list ? named_nodes(run, list, err) : filtered_nodes(run, err);

	run->chosen |= list != NULL;
	if (!rc)
		rc = keep_allowed(run, err);
	if (!rc && run->policy == TM_POLICY_PREFERRED_MANY && tm_idset_count(&run->nodes) == 1)
		run->policy = TM_POLICY_PREFERRED;
	return rc ? rc : fill_weights(run, err);
}
