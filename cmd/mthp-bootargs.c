/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of the kernel's command line for huge pages: made, and explained. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mthp-view.h"
#include "cmd/terminal.h"
#include "lib/base/units.h"
#include "lib/model/thp-boot.h"
#include "lib/out/document.h"
#include "lib/out/table.h"
#include "lib/sys/attr.h"

/* What is printed: words with what the kernel makes of them, and what they come to. */
struct bootargs {
	const struct tm_machine *machine;
	struct tm_thp thp;
	struct tm_thp_kernel kernel;
	struct tm_thp_boot boot;
	struct tm_thp_boot_state now;
	char *line;	     /* the words, or the line that was explained */
	struct tm_buf notes; /* one a line */
};

static void release(struct bootargs *b)
{
	tm_thp_boot_release(&b->boot);
	tm_thp_boot_state_release(&b->now);
	tm_thp_release(&b->thp);
	tm_buf_release(&b->notes);
	free(b->line);
}

/* All nodes' memory; the kernel counts it when it starts, which is a little less. */
static struct tm_num memory_of(const struct tm_machine *m)
{
	uint64_t total = 0;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		if (!tm_num_is(&m->nodes[i].memory_total))
			return tm_num_none(m->nodes[i].memory_total.state);
		total += m->nodes[i].memory_total.value;
	}
	return m->nr_nodes ? tm_num_known(total) : tm_num_none(TM_UNKNOWN);
}

/* What is wanted takes the place of what is; settings without a word are refused. */
static int overlay(const struct settings *settings, struct tm_thp_boot_state *state,
		   struct tm_error *err)
{
	const struct tm_knob *top_enabled = tm_knob_find(TM_KNOBS_THP, "enabled");
	const struct tm_knob *top_shmem = tm_knob_find(TM_KNOBS_THP, "shmem");
	const struct tm_knob *enabled = tm_knob_find(TM_KNOBS_MTHP, "enabled");
	const struct tm_knob *shmem = tm_knob_find(TM_KNOBS_MTHP, "shmem");

	for (size_t i = 0; i < settings->nr; i++) {
		const struct wanted *wanted = &settings->list[i];

		if (wanted->knob == top_enabled)
			state->enabled = wanted->value;
		else if (wanted->knob == top_shmem)
			state->shmem = wanted->value;
		else if (wanted->knob != enabled && wanted->knob != shmem) {
			tm_error_set(err, EINVAL,
				     "top %s: the kernel's command line has no word "
				     "for it",
				     wanted->knob->name);
			tm_error_hint(err, "a profile sets it at boot: see tiermem-profile(1)");
			return -EINVAL;
		}
		for (size_t k = 0; k < state->nr_sizes; k++) {
			struct tm_thp_boot_size *size = &state->sizes[k];

			if (size->kib == wanted->instance && wanted->knob == enabled)
				size->enabled = wanted->value;
			if (size->kib == wanted->instance && wanted->knob == shmem)
				size->shmem = wanted->value;
		}
	}
	return 0;
}

/* The words for what is, with the groups laid over it. `settings` must outlive the state. */
static int make_line(struct app *app, const struct tm_root *root, struct settings *settings,
		     struct bootargs *b, struct tm_error *err)
{
	struct tm_buf line = TM_BUF_INIT;
	int rc = 0;

	if (b->thp.state != TM_KNOWN)
		return mthp_lacking(&b->thp, err);
	if (app->argc)
		rc = mthp_want(settings, root, &b->thp, app->argv, app->argc, err);
	if (!rc)
		rc = overlay(settings, &b->now, err);
	if (rc)
		return rc;
	tm_thp_boot_make(&b->kernel, &b->now, &line, &b->notes);
	b->line = tm_buf_detach(&line);
	return b->line ? 0 : tm_error_nomem(err);
}

static int take_line(struct app *app, const struct tm_root *root, struct bootargs *b,
		     struct tm_error *err)
{
	static const char path[] = "proc/cmdline";
	struct tm_buf line = TM_BUF_INIT;
	int rc;

	if (app_option(app, "explain")) {
		b->line = strdup(app_option(app, "explain"));
		return b->line ? 0 : tm_error_nomem(err);
	}
	rc = tm_attr_read(root, path, &line);
	if (rc)
		rc = tm_error_errno(err, -rc, "/%s", path);
	else
		b->line = tm_buf_detach(&line);
	tm_buf_release(&line);
	return rc || b->line ? rc : tm_error_nomem(err);
}

/* --- text --- */

static const char *shown(const char *word)
{
	return word ? word : "-";
}

static void add_state_row(struct tm_table *table, const char *name, const char *anon,
			  const char *anon_now, const char *shmem, const char *shmem_now)
{
	struct tm_row *row = tm_table_row(table, NULL);
	const char *const cells[] = { name, anon, anon_now, shmem, shmem_now };

	for (size_t i = 0; i < TM_ARRAY_SIZE(cells); i++)
		tm_row_cell(table, row, i, shown(cells[i]));
}

static const struct tm_thp_boot_size *size_in(const struct tm_thp_boot_state *state, long kib)
{
	for (size_t i = 0; i < state->nr_sizes; i++)
		if (state->sizes[i].kib == kib)
			return &state->sizes[i];
	return NULL;
}

/* What the line comes to, beside what is set now. */
static int add_state(struct app *app, const struct bootargs *b, struct tm_buf *out,
		     struct tm_error *err)
{
	static const char *const headings[] = { "SIZE", "ENABLED", "NOW", "SHMEM", "NOW" };
	const struct tm_thp_boot_state *state = &b->boot.state, *now = &b->now;
	struct tm_table_style style = terminal_style(app);
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_table *table = tm_table_new(&style);
	int rc;

	if (!table)
		return tm_error_nomem(err);
	for (size_t i = 0; i < TM_ARRAY_SIZE(headings); i++)
		tm_table_column(table, headings[i], false, false, false);
	add_state_row(table, "top", state->enabled ? state->enabled : "as built", now->enabled,
		      state->shmem ? state->shmem : "as built", now->shmem);
	for (size_t i = 0; i < state->nr_sizes; i++) {
		const struct tm_thp_boot_size *size = &state->sizes[i];
		const struct tm_thp_boot_size *is = size_in(now, size->kib);
		char name[TM_UNITS_MAX];

		add_state_row(table, tm_format_bytes(name, (uint64_t)size->kib << 10),
			      size->enabled, is ? is->enabled : NULL, size->shmem,
			      is ? is->shmem : NULL);
	}
	rc = tm_table_print(table, &text, err);
	if (!rc)
		tm_buf_addf(out, "\n%s", text);
	tm_table_free(table);
	return rc;
}

/* Each word on a line, and below it what becomes of it. */
static void add_words(const struct bootargs *b, struct tm_buf *out)
{
	for (size_t i = 0; i < b->boot.nr; i++) {
		const struct tm_thp_word *word = &b->boot.words[i];
		struct tm_buf text = TM_BUF_INIT;

		tm_buf_add_printable(out, word->word, strlen(word->word));
		tm_buf_addc(out, '\n');
		tm_buf_addf(&text, "%s: ", tm_thp_fate_name(word->fate));
		tm_buf_add_printable(&text, word->says, strlen(word->says));
		mthp_fold(out, tm_buf_str(&text));
		tm_buf_release(&text);
	}
	if (!b->boot.nr)
		tm_buf_adds(out, "no word is about huge pages\n");
}

static int print_explained(struct app *app, const struct bootargs *b)
{
	struct tm_buf out = TM_BUF_INIT;
	struct tm_error err = { 0 };
	int rc;

	add_words(b, &out);
	if (b->notes.len && !app->quiet)
		tm_buf_addf(&out, "note: %s", tm_buf_str(&b->notes));
	rc = add_state(app, b, &out, &err);
	if (!rc && out.failed)
		rc = tm_error_nomem(&err);
	if (!rc)
		out_text(app, tm_buf_str(&out));
	tm_buf_release(&out);
	return rc ? report(app, EXIT_FAILED, &err) : EXIT_DONE;
}

#define NOTE_MAX 256

/* The next line of *rest. */
static bool next_note(const char **rest, char note[NOTE_MAX])
{
	size_t len = strcspn(*rest, "\n");

	snprintf(note, NOTE_MAX, "%.*s", (int)len, *rest);
	*rest += len + ((*rest)[len] == '\n');
	return len > 0;
}

/* The words alone, to be copied; the rest goes to standard error. */
static int print_line(struct app *app, const struct bootargs *b)
{
	const char *rest = tm_buf_str(&b->notes);
	char note[NOTE_MAX];

	out_text(app, b->line);
	out_text(app, "\n");
	while (next_note(&rest, note))
		warn(app, "%s", note);
	return EXIT_DONE;
}

/* --- JSON --- */

static void add_word(struct tm_json *json, const struct tm_thp_word *word)
{
	tm_json_object(json, NULL);
	tm_json_string(json, "word", word->word);
	tm_json_string(json, "fate", tm_thp_fate_name(word->fate));
	tm_json_string(json, "explanation", word->says);
	tm_json_end(json);
}

static void add_result(struct tm_json *json, const struct tm_thp_boot_state *state)
{
	tm_json_object(json, "after_boot");
	tm_json_string(json, "enabled", state->enabled);
	tm_json_string(json, "shmem_enabled", state->shmem);
	tm_json_bool(json, "sizes_assumed", state->assumed);
	tm_json_array(json, "sizes");
	for (size_t i = 0; i < state->nr_sizes; i++) {
		tm_json_object(json, NULL);
		tm_json_u64(json, "size_bytes", (uint64_t)state->sizes[i].kib << 10);
		tm_json_string(json, "enabled", state->sizes[i].enabled);
		tm_json_string(json, "shmem_enabled", state->sizes[i].shmem);
		tm_json_end(json);
	}
	tm_json_end(json);
	tm_json_end(json);
}

static int print_json(struct app *app, const struct bootargs *b)
{
	const struct tm_machine *m = b->machine;
	struct tm_identity identity = { m->kernel, m->host, m->boot_id, m->root };
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	TM_CLEANUP(tm_freep) char *text = NULL;
	struct tm_error err = { 0 };
	const char *rest = tm_buf_str(&b->notes);
	char note[NOTE_MAX];
	int rc = json ? 0 : tm_error_nomem(&err);

	if (!rc) {
		tm_document_begin(json, "bootargs", 1, &identity);
		tm_json_string(json, "line", b->line);
		tm_json_array(json, "words");
		for (size_t i = 0; i < b->boot.nr; i++)
			add_word(json, &b->boot.words[i]);
		tm_json_end(json);
		tm_json_array(json, "notes");
		while (next_note(&rest, note))
			tm_json_string(json, NULL, note);
		tm_json_end(json);
		add_result(json, &b->boot.state);
		rc = tm_json_print(json, false, &text, &err);
	}
	if (rc)
		return report(app, EXIT_FAILED, &err);
	out_text(app, text);
	return EXIT_DONE;
}

static int contradict(const struct app *app, struct tm_error *err)
{
	bool explain = app_option(app, "explain") != NULL;
	bool booted = app_option(app, "booted") != NULL;
	const char *version = app_option(app, "for");

	if (version && !tm_kernel_version(version)) {
		tm_error_set(err, EINVAL, "--for: '%.100s' is no kernel's version", version);
		tm_error_hint(err, "such as 6.13");
		return -EINVAL;
	}
	if (version && booted)
		return tm_error_set(err, EINVAL, "--for: not together with --booted");
	if (explain && booted)
		return tm_error_set(err, EINVAL, "--booted: not together with --explain");
	if ((explain || booted) && app->argc)
		return tm_error_set(err, EINVAL, "%s: not together with settings",
				    explain ? "--explain" : "--booted");
	return 0;
}

int mthp_bootargs(struct app *app, const struct tm_root *root, const struct tm_machine *m)
{
	bool explains = app_option(app, "explain") || app_option(app, "booted");
	struct bootargs b = { .machine = m, .notes = TM_BUF_INIT };
	struct settings settings = { 0 };
	struct tm_error err = { 0 };
	int rc = contradict(app, &err), code;

	if (!rc)
		rc = tm_thp_read(&b.thp, root, &err);
	if (!b.thp.page_bytes && tm_num_is(&m->page_size))
		b.thp.page_bytes = m->page_size.value;
	b.kernel = (struct tm_thp_kernel){ &b.thp, m->version, memory_of(m) };
	if (!rc && app_option(app, "for"))
		b.kernel.version = tm_kernel_version(app_option(app, "for"));
	if (!rc && tm_thp_boot_now(&b.thp, &b.now))
		rc = tm_error_nomem(&err);
	if (!rc)
		rc = explains ? take_line(app, root, &b, &err) :
				make_line(app, root, &settings, &b, &err);
	if (!rc)
		rc = tm_thp_boot_explain(&b.kernel, b.line, &b.boot, &err);
	if (!rc && explains && b.boot.state.assumed)
		tm_buf_adds(&b.notes, "this machine shows no sizes: those that kernels with its "
				      "page size have are assumed\n");
	if (rc)
		code = report(app, mthp_exit(rc), &err);
	else if (app->json)
		code = print_json(app, &b);
	else
		code = explains ? print_explained(app, &b) : print_line(app, &b);
	release(&b);
	settings_release(&settings);
	return code;
}
