/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile beside the machine: each of its settings, as it is wanted and as it is. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "cmd/profile-view.h"
#include "lib/model/thp.h"

#define PROFILE_MAX (1u << 20)

int profile_read(struct app *app, struct profile_view *view)
{
	struct tm_buf text = TM_BUF_INIT;
	struct tm_error err = { 0 };
	const char *name = app->argv[0];
	int rc;

	view->app = app;
	view->w.root.fd = -1;
	view->file = strcmp(name, "-") ? name : "standard input";
	rc = file_read(name, PROFILE_MAX, &text, &err);
	if (!rc)
		rc = tm_profile_parse(view->file, tm_buf_str(&text), text.len, &view->profile,
				      &err);
	tm_buf_release(&text);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}

size_t profile_count(const struct profile_view *view, enum row_state state)
{
	size_t nr = 0;

	for (size_t i = 0; i < view->nr; i++)
		nr += view->rows[i].state == state;
	return nr;
}

static void release_row(struct profile_row *row)
{
	free(row->key);
	free(row->wanted);
	tm_text_release(&row->now);
	free(row->why);
}

void profile_release(struct profile_view *view)
{
	for (size_t i = 0; i < view->nr; i++)
		release_row(&view->rows[i]);
	free(view->rows);
	tm_profile_release(&view->profile);
	weights_release(&view->w);
}

/* Takes over what the row owns, also when it fails: -ENOMEM. */
static int add_row(struct profile_view *view, struct profile_row *row)
{
	if (tm_array_grow(&view->rows, view->nr, &view->cap, sizeof(*row))) {
		release_row(row);
		return -ENOMEM;
	}
	view->rows[view->nr++] = *row;
	return row->key && row->wanted && (row->now.state != TM_KNOWN || row->now.value) &&
			       (row->state != ROW_MISSING || row->why) ?
		       0 :
		       -ENOMEM;
}

static char *place_of(enum tm_knob_set set, const struct tm_knob *knob, long instance)
{
	struct tm_buf place = TM_BUF_INIT;

	tm_profile_place(set, knob, instance, &place);
	return tm_buf_detach(&place);
}

static char *say(const struct tm_knob *knob, const char *normal)
{
	struct tm_buf word = TM_BUF_INIT;

	tm_knob_say(knob, normal, &word);
	return tm_buf_detach(&word);
}

/* Why the machine has no such setting. */
static char *why_missing(const struct tm_thp *thp, const struct tm_profile_item *item,
			 long instance)
{
	struct tm_buf why = TM_BUF_INIT;
	char path[TM_PATH_MAX];

	if (item->set == TM_KNOBS_MTHP && thp->nr_sizes && instance != TM_PROFILE_ALL &&
	    !tm_thp_size(thp, instance)) {
		tm_buf_adds(&why, "this machine has no such size");
	} else {
		tm_knob_path(item->knob, instance, path);
		if (instance == TM_PROFILE_ALL)
			tm_buf_adds(&why, "this machine has no such setting for any size");
		else
			tm_buf_addf(&why, "this machine has no /%s", path);
		if (item->knob->since)
			tm_buf_addf(&why, "; it came with Linux %s", item->knob->since);
	}
	return tm_buf_detach(&why);
}

/* A word that other kernels take is lacking here; one that none takes is an error. */
static int refused(struct profile_view *view, const struct tm_profile_item *item,
		   struct profile_row *row, const struct tm_error *why, struct tm_error *err)
{
	struct tm_buf normal = TM_BUF_INIT;
	int rc = tm_knob_parse(item->knob, NULL, item->word, &normal, NULL);

	tm_buf_release(&normal);
	if (rc == -EINVAL) {
		size_t len = strlen(item->knob->name) + 2;

		tm_error_set(err, EBADMSG, "%s: %s: %s", view->file, row->key,
			     strlen(why->text) > len ? why->text + len : why->text);
		if (*why->hint)
			tm_error_hint(err, "%s", why->hint);
		return -EBADMSG;
	}
	row->state = ROW_MISSING;
	row->why = strdup("this kernel does not take that value");
	return rc;
}

/* Fills the row of a setting that could be read. */
static int compare(struct profile_view *view, const struct tm_profile_item *item,
		   const struct tm_setting *setting, struct profile_row *row, struct tm_error *err)
{
	struct tm_buf normal = TM_BUF_INIT;
	struct tm_error why = { 0 };
	int rc = tm_knob_parse(item->knob, setting->accepted, item->word, &normal, &why);

	row->now.value = say(item->knob, setting->value.value);
	if (!rc) {
		row->wanted = say(item->knob, tm_buf_str(&normal));
		row->state = strcmp(tm_buf_str(&normal), setting->value.value) ? ROW_DIFFERS :
										 ROW_SAME;
	} else {
		row->wanted = strdup(item->word);
		if (rc == -EINVAL)
			rc = refused(view, item, row, &why, err);
	}
	tm_buf_release(&normal);
	return rc;
}

/* `optional`: where the machine has it not, there is no row. */
static int add_setting(struct profile_view *view, const struct tm_thp *thp,
		       const struct tm_profile_item *item, long instance, bool optional,
		       struct tm_error *err)
{
	struct profile_row row = { .set = item->set, .knob = item->knob, .instance = instance };
	struct tm_setting setting;
	int rc = tm_setting_read(&view->w.root, item->knob, instance, &setting), added;
	enum tm_state state = rc ? TM_UNKNOWN : setting.value.state;

	if (rc)
		return tm_error_nomem(err);
	if (optional && state == TM_ABSENT) {
		tm_setting_release(&setting);
		return 0;
	}
	row.key = place_of(item->set, item->knob, instance);
	row.now.state = state;
	if (state == TM_KNOWN) {
		rc = compare(view, item, &setting, &row, err);
	} else {
		row.wanted = strdup(item->word);
		row.state = ROW_UNREADABLE;
		if (state == TM_ABSENT || state == TM_UNSUPPORTED) {
			row.now.state = TM_UNSUPPORTED;
			row.state = ROW_MISSING;
			row.why = why_missing(thp, item, instance);
		}
	}
	tm_setting_release(&setting);
	/* Also after an error, so that it is released. */
	added = add_row(view, &row);
	if (rc == -ENOMEM || (!rc && added))
		return tm_error_nomem(err);
	return rc;
}

/* Every size that the profile does not name, as far as it has the setting. */
static int add_all_sizes(struct profile_view *view, const struct tm_thp *thp,
			 const struct tm_profile_item *item, struct tm_error *err)
{
	size_t before = view->nr;
	bool named = false;
	int rc = 0;

	for (size_t i = 0; i < thp->nr_sizes && !rc; i++) {
		if (tm_profile_find(&view->profile, item->knob, thp->sizes[i].kib))
			named = true;
		else
			rc = add_setting(view, thp, item, thp->sizes[i].kib, true, err);
	}
	if (!rc && view->nr == before && !named) {
		struct profile_row row = {
			.key = place_of(item->set, item->knob, TM_PROFILE_ALL),
			.wanted = strdup(item->word),
			.now.state = TM_UNSUPPORTED,
			.state = ROW_MISSING,
			.why = why_missing(thp, item, TM_PROFILE_ALL),
		};

		rc = add_row(view, &row) ? tm_error_nomem(err) : 0;
	}
	return rc;
}

/* Weights that cannot be had here, for the reason in `why`. */
static int add_no_weights(struct profile_view *view, const char *wanted, const char *why,
			  struct tm_error *err)
{
	struct profile_row row = {
		.key = strdup("/weights"),
		.wanted = strdup(wanted),
		.now.state = TM_UNSUPPORTED,
		.state = ROW_MISSING,
		.why = strdup(why),
	};

	return add_row(view, &row) ? tm_error_nomem(err) : 0;
}

static int add_auto(struct profile_view *view, struct tm_error *err)
{
	const struct tm_machine *m = &view->w.machine;
	bool automatic = m->weight_mode == TM_WEIGHTS_AUTO;
	bool stale = automatic && !tm_idset_empty(&view->w.stale);
	struct tm_plan plan = { .lock_fd = -1 };
	struct tm_error why = { 0 };
	struct profile_row row;
	int rc = tm_plan_init(&plan, &view->w.root, "", &why);

	/* Whether it can be had, the plan knows. */
	if (!rc)
		rc = weights_plan_auto(&view->w, &plan, &why);
	tm_plan_release(&plan);
	if (rc == -ENOTSUP || rc == -ENODEV)
		return add_no_weights(view, "auto", why.text, err);
	if (rc) {
		*err = why;
		return rc;
	}
	row = (struct profile_row){
		.key = strdup("/weights"),
		.wanted = strdup("auto"),
		.now = { strdup(stale ? "stale" : tm_weight_mode_name(m->weight_mode)), TM_KNOWN },
		.state = automatic && !stale ? ROW_SAME : ROW_DIFFERS,
	};
	return add_row(view, &row) ? tm_error_nomem(err) : 0;
}

static char *number_text(uint64_t number)
{
	struct tm_buf text = TM_BUF_INIT;

	tm_buf_addf(&text, "%" PRIu64, number);
	return tm_buf_detach(&text);
}

/* Why a node has no weight to set; NULL: it has, or it may not be read. */
static char *why_no_weight(const struct weight_node *node, long id)
{
	struct tm_buf why = TM_BUF_INIT;

	if (!node)
		tm_buf_addf(&why, "node %ld has no memory here", id);
	else if (node->node->weight.state == TM_ABSENT)
		tm_buf_adds(&why, "the node has memory but no weight file: its memory came after "
				  "boot on a kernel that does not follow it");
	return why.len ? tm_buf_detach(&why) : NULL;
}

static int add_weight(struct profile_view *view, long id, unsigned wanted, struct tm_error *err)
{
	const struct tm_knob *knob = tm_knob_find(TM_KNOBS_WEIGHTS, "weight");
	struct weight_node *node = weights_find(view->w.all, view->w.nr_all, id);
	struct tm_num now = node ? node->node->weight : tm_num_none(TM_UNSUPPORTED);
	bool known = tm_num_is(&now), missing = !node || now.state == TM_ABSENT;
	struct profile_row row = {
		.set = TM_KNOBS_WEIGHTS,
		.key = place_of(TM_KNOBS_WEIGHTS, knob, id),
		.wanted = number_text(wanted),
		.now = { known ? number_text(now.value) : NULL, now.state },
		.state = missing	     ? ROW_MISSING :
			 !known		     ? ROW_UNREADABLE :
			 now.value == wanted ? ROW_SAME :
					       ROW_DIFFERS,
		.why = why_no_weight(node, id),
		.knob = knob,
		.instance = id,
		.weight = node,
	};

	if (node)
		node->recommended = wanted;
	return add_row(view, &row) ? tm_error_nomem(err) : 0;
}

static int add_best(struct profile_view *view, struct tm_error *err)
{
	struct weights *w = &view->w;
	struct tm_error why = { 0 };
	int rc = 0;

	if (!tm_idset_empty(&w->unknown)) {
		weights_unknown(w, &why);
		return add_no_weights(view, "best", why.text, err);
	}
	for (size_t i = 0; i < w->nr && !rc; i++)
		rc = add_weight(view, w->nodes[i].node->id, w->nodes[i].recommended, err);
	return rc;
}

static int add_given(struct profile_view *view, struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < view->profile.nr && !rc; i++) {
		const struct tm_profile_item *item = &view->profile.items[i];

		/* It was read as a number within bounds. */
		if (item->set == TM_KNOBS_WEIGHTS)
			rc = add_weight(view, item->instance, (unsigned)atoi(item->word), err);
	}
	return rc;
}

static int add_weights(struct profile_view *view, struct tm_error *err)
{
	static const char *const words[] = {
		[TM_PROFILE_WEIGHTS_BEST] = "best",
		[TM_PROFILE_WEIGHTS_AUTO] = "auto",
		[TM_PROFILE_WEIGHTS_GIVEN] = "numbers",
	};
	enum tm_profile_weights kind = view->profile.weights;
	const struct tm_machine *m = &view->w.machine;
	struct weight_request request;
	struct tm_error why = { 0 };
	int rc;

	if (kind == TM_PROFILE_WEIGHTS_NONE)
		return 0;
	if (m->weight_mode == TM_WEIGHTS_UNSUPPORTED) {
		weights_lacking(m, &why);
		return add_no_weights(view, words[kind], why.text, err);
	}
	rc = weights_parse(view->app, &request, err);
	if (!rc)
		rc = weights_reckon(view->app, &view->w, &request, &why);
	if (rc == -ENODEV)
		return add_no_weights(view, words[kind], why.text, err);
	if (rc) {
		*err = why;
		return rc;
	}
	switch (kind) {
	case TM_PROFILE_WEIGHTS_BEST:
		return add_best(view, err);
	case TM_PROFILE_WEIGHTS_AUTO:
		return add_auto(view, err);
	default:
		return add_given(view, err);
	}
}

static int add_rows(struct profile_view *view, const struct tm_thp *thp, struct tm_error *err)
{
	static const enum tm_knob_set order[] = { TM_KNOBS_THP, TM_KNOBS_MTHP, TM_KNOBS_POLICY };
	int rc = add_weights(view, err);

	for (size_t s = 0; s < TM_ARRAY_SIZE(order); s++) {
		for (size_t i = 0; i < view->profile.nr && !rc; i++) {
			const struct tm_profile_item *item = &view->profile.items[i];

			if (item->set != order[s])
				continue;
			if (item->instance == TM_PROFILE_ALL)
				rc = add_all_sizes(view, thp, item, err);
			else
				rc = add_setting(view, thp, item, item->instance, false, err);
		}
	}
	return rc;
}

int profile_compare(struct profile_view *view)
{
	struct tm_thp thp = { 0 };
	struct tm_error err = { 0 };
	int rc = tm_machine_read(&view->w.machine, &view->w.root, NULL, &err);

	if (!rc)
		rc = tm_thp_read(&thp, &view->w.root, &err);
	if (!rc)
		rc = add_rows(view, &thp, &err);
	tm_thp_release(&thp);
	return rc ? report(view->app, EXIT_FAILED, &err) : EXIT_DONE;
}
