/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/policy.h"

#include "cmd/policy-view.h"
#include "cmd/terminal.h"
#include "lib/out/table.h"

/* No record here has more. */
#define FIELDS_MAX 16

int policy_view_read(struct policy_view *view, const char *root, struct tm_error *err)
{
	int rc;

	*view = (struct policy_view){ .root = { .fd = -1 } };
	rc = tm_root_open(&view->root, root, err);
	if (!rc)
		rc = tm_machine_read(&view->machine, &view->root, NULL, err);
	if (!rc)
		rc = tm_policy_read(&view->policy, &view->machine, &view->root, err);
	return rc;
}

void policy_view_release(struct policy_view *view)
{
	tm_policy_release(&view->policy);
	tm_machine_release(&view->machine);
	tm_root_close(&view->root);
}

const char *policy_answer(enum tm_answer active)
{
	static const char *const word[] = {
		[TM_NO] = "no",
		[TM_YES] = "yes",
		[TM_UNSURE] = "unknown",
	};

	return word[active];
}

int policy_add_table(const struct app *app, const struct tm_field *fields, size_t nr_fields,
		     const void *records, size_t nr, size_t size, struct tm_buf *out,
		     struct tm_error *err)
{
	struct tm_table_style style = terminal_style(app);
	size_t chosen[2 * FIELDS_MAX], nr_chosen = 0;
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	int rc = table ? tm_field_choose(fields, TM_MIN(nr_fields, (size_t)FIELDS_MAX), NULL,
					 chosen, &nr_chosen, err) :
			 tm_error_nomem(err);

	if (!rc) {
		tm_table_records(table, fields, chosen, nr_chosen, records, nr, size);
		rc = tm_table_print(table, &text, err);
	}
	tm_table_free(table);
	if (!rc)
		tm_buf_adds(out, text);
	return rc;
}

int policy_take_text(struct tm_buf *out, int rc, char **text, struct tm_error *err)
{
	if (!rc) {
		*text = tm_buf_detach(out);
		rc = *text ? 0 : tm_error_nomem(err);
	}
	tm_buf_release(out);
	return rc;
}

static const struct command *const subcommands[] = {
	&policy_show_command,
	&policy_set_command,
	&policy_preset_command,
	&policy_usage_command,
	&policy_damon_command,
	&policy_migrate_command,
	NULL,
};

const struct command policy_command = {
	.name = "policy",
	.summary = "move pages between tiers: what the kernel does, and make it do so",
	.synopsis = "show|set|preset|usage|damon|migrate ...",
	.description =
		"On a machine with fast and slow memory the kernel can move cold pages down a tier "
		"when memory is short (demotion), and hot ones up when they are used (promotion). "
		"Each needs several settings and a machine that the kernel has sorted into tiers. "
		"This shows whether both are at work, sets them, and tells whose memory lies "
		"where.",
	.examples = "tiermem policy show  # start here\n"
		    "tiermem policy preset tiering  # both ways\n"
		    "tiermem policy usage  # who lives in far memory\n",
	.group = "Write",
	.subcommands = subcommands,
};
