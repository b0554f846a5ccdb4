/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/plan/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "lib/plan/change.h"
#include "lib/plan/state.h"

#define SUFFIX ".journal"
#define JOURNAL_MAX (16u << 20)

void tm_journal_release(struct tm_journal *journal)
{
	free(journal->title);
	free(journal->kept_as);
	for (size_t i = 0; i < journal->nr; i++)
		tm_change_release(&journal->changes[i]);
	free(journal->changes);
	*journal = (struct tm_journal){ 0 };
}

static bool has_suffix(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, SUFFIX);
}

/* Process ids come again: a dead one's journal must not be written over. */
static void lease_name(const struct tm_lease *lease, char name[64])
{
	snprintf(name, 64, "%d-%llu-%.8s" SUFFIX, (int)lease->pid, lease->start, lease->boot_id);
}

static int make_text(const struct tm_plan *plan, const struct tm_lease *lease, char **text,
		     struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();

	if (!json)
		return tm_error_nomem(err);
	tm_json_string(json, "schema", "tiermem.journal/1");
	tm_json_string(json, "title", plan->title);
	tm_json_string(json, "boot_id", lease->boot_id);
	tm_json_i64(json, "pid", lease->pid);
	tm_json_u64(json, "start", lease->start);
	tm_json_string(json, "kept_as", plan->keep_as);
	tm_json_array(json, "changes");
	for (size_t i = 0; i < plan->nr; i++) {
		const struct tm_change *change = &plan->changes[i];

		if (change->state == TM_CHANGE_UNCHANGED)
			continue;
		tm_json_object(json, NULL);
		tm_json_string(json, "kind", tm_change_kind_name(change->kind));
		tm_json_string(json, "form", tm_form_name(change->form));
		tm_json_string(json, "path", change->path);
		tm_json_string(json, "from", change->from);
		tm_json_string(json, "to", change->to);
		tm_json_string(json, "got", change->got);
		tm_json_string(json, "first", change->first);
		tm_json_string(json, "restore", change->restore);
		tm_json_string(json, "why", change->why);
		tm_json_string(json, "made_by", change->made_by);
		tm_json_string(json, "token_path", change->token_path);
		tm_json_string(json, "token", change->token);
		tm_json_end(json);
	}
	tm_json_end(json);
	return tm_json_print(json, false, text, err);
}

static int write_all(const struct tm_root *root, int fd, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	ssize_t n = root->io->write(root->io_context, fd, text, len);

	if (n < 0)
		return (int)n;
	if ((size_t)n != len)
		return -ENOSPC;
	return root->io->sync(root->io_context, fd);
}

int tm_journal_write_as(const struct tm_plan *plan, const struct tm_lease *lease, const char *name,
			struct tm_error *err)
{
	const struct tm_root *root = plan->root;
	TM_CLEANUP(tm_freep) char *text = NULL;
	int folder, fd, rc = make_text(plan, lease, &text, err);

	if (rc)
		return rc;
	folder = tm_state_folder(root, true, err);
	if (folder < 0)
		return folder;
	fd = tm_root_openat(root, TM_STATE_FOLDER "/new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
			    0600);
	rc = fd < 0 ? fd : write_all(root, fd, text);
	if (fd >= 0)
		root->io->close(root->io_context, fd);
	if (!rc)
		rc = root->io->rename(root->io_context, folder, "new", name);
	if (!rc) {
		rc = root->io->sync(root->io_context, folder);
		if (rc)
			root->io->unlink(root->io_context, folder, name);
	} else if (fd >= 0) {
		root->io->unlink(root->io_context, folder, "new");
	}
	if (rc)
		tm_error_errno(err, -rc, "/" TM_STATE_FOLDER "/%s", name);
	root->io->close(root->io_context, folder);
	return rc;
}

int tm_journal_write(const struct tm_plan *plan, const struct tm_lease *lease, struct tm_error *err)
{
	char name[64];

	lease_name(lease, name);
	return tm_journal_write_as(plan, lease, name, err);
}

static int rename_journal(const struct tm_root *root, const char *from, const char *to,
			  struct tm_error *err)
{
	int folder = tm_state_folder(root, false, err), rc;

	if (folder < 0)
		return folder;
	rc = root->io->rename(root->io_context, folder, from, to);
	if (rc)
		tm_error_errno(err, -rc, "/" TM_STATE_FOLDER "/%s", to);
	else
		/* Both names hold the same: if this fails, nothing is lost but after a crash. */
		(void)root->io->sync(root->io_context, folder);
	root->io->close(root->io_context, folder);
	return rc;
}

int tm_journal_keep(const struct tm_root *root, const struct tm_lease *lease, struct tm_error *err)
{
	char name[64];

	lease_name(lease, name);
	return rename_journal(root, name, TM_JOURNAL_LAST, err);
}

int tm_journal_rename(const struct tm_root *root, struct tm_journal *journal, const char *name,
		      struct tm_error *err)
{
	int rc = rename_journal(root, journal->name, name, err);

	if (!rc)
		snprintf(journal->name, sizeof(journal->name), "%s", name);
	return rc;
}

int tm_journal_remove(const struct tm_root *root, const char *name, struct tm_error *err)
{
	int folder = tm_state_folder(root, false, err), rc;

	if (folder < 0)
		return folder;
	rc = root->io->unlink(root->io_context, folder, name);
	if (!rc)
		rc = root->io->sync(root->io_context, folder);
	if (rc && rc != -ENOENT)
		tm_error_errno(err, -rc, "/" TM_STATE_FOLDER "/%s", name);
	root->io->close(root->io_context, folder);
	return rc == -ENOENT ? 0 : rc;
}

int tm_journal_drop(const struct tm_root *root, const struct tm_lease *lease, struct tm_error *err)
{
	char name[64];

	lease_name(lease, name);
	return tm_journal_remove(root, name, err);
}

/* Copies a member that must be a string; with `may_lack`, null and absence are NULL. */
static int take_string(const struct tm_jvalue *object, const char *key, bool may_lack, char **copy)
{
	const struct tm_jvalue *value = tm_jvalue_get(object, key);
	const char *text = value ? tm_jvalue_string(value) : NULL;

	*copy = NULL;
	if (!text)
		return may_lack && (!value || tm_jvalue_type(value) == TM_JNULL) ? 0 : -EINVAL;
	*copy = strdup(text);
	return *copy ? 0 : -ENOMEM;
}

static int take_kind(const struct tm_jvalue *object, struct tm_change *change)
{
	const struct tm_jvalue *kind = tm_jvalue_get(object, "kind"),
			       *form = tm_jvalue_get(object, "form");
	const char *name = kind ? tm_jvalue_string(kind) : NULL;

	if (!name || !form || !tm_jvalue_string(form) ||
	    tm_form_parse(tm_jvalue_string(form), &change->form))
		return -EINVAL;
	for (int k = TM_CHANGE_SET; k < TM_CHANGE_KINDS; k++) {
		if (!strcmp(tm_change_kind_name((enum tm_change_kind)k), name)) {
			change->kind = (enum tm_change_kind)k;
			return 0;
		}
	}
	return -EINVAL;
}

/* Only files below sys and proc/sys are settings; a journal that names others is not ours. */
static bool is_setting(const char *path)
{
	return (!strncmp(path, "sys/", 4) || !strncmp(path, "proc/sys/", 9)) && !strstr(path, "..");
}

/* Is it the path of a change that may make files? */
static bool is_maker(const struct tm_change *changes, size_t nr, const char *path)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(changes[i].path, path))
			return changes[i].kind == TM_CHANGE_SET && !changes[i].made_by;
	return false;
}

/* Do its parts go together, as those of a plan do? */
static bool is_sound(const struct tm_journal *journal, const struct tm_change *change)
{
	bool trigger = change->kind == TM_CHANGE_TRIGGER;

	if (change->made_by &&
	    (!is_maker(journal->changes, journal->nr, change->made_by) ||
	     (!trigger && change->kind != TM_CHANGE_SET) || (!trigger && change->restore)))
		return false;
	if (!change->from != (change->made_by && !trigger))
		return false;
	if (change->token_path && (!trigger || !is_setting(change->token_path)))
		return false;
	return !change->token || change->token_path;
}

static int take_change(const struct tm_journal *journal, const struct tm_jvalue *object,
		       struct tm_change *change)
{
	int rc = take_kind(object, change);

	change->fd = -1;
	change->state = TM_CHANGE_PLANNED;
	if (!rc)
		rc = take_string(object, "path", false, &change->path);
	if (!rc && !is_setting(change->path))
		rc = -EINVAL;
	if (!rc)
		rc = take_string(object, "from", true, &change->from);
	if (!rc)
		rc = take_string(object, "to", change->kind == TM_CHANGE_EFFECT, &change->to);
	if (!rc)
		rc = take_string(object, "got", true, &change->got);
	if (!rc)
		rc = take_string(object, "first", true, &change->first);
	if (!rc)
		rc = take_string(object, "restore", true, &change->restore);
	if (!rc)
		rc = take_string(object, "why", true, &change->why);
	if (!rc)
		rc = take_string(object, "made_by", true, &change->made_by);
	if (!rc)
		rc = take_string(object, "token_path", true, &change->token_path);
	if (!rc)
		rc = take_string(object, "token", true, &change->token);
	return rc || is_sound(journal, change) ? rc : -EINVAL;
}

static int take_lease(const struct tm_jvalue *root, struct tm_lease *lease)
{
	const struct tm_jvalue *id = tm_jvalue_get(root, "boot_id"),
			       *pid = tm_jvalue_get(root, "pid");
	const struct tm_jvalue *start = tm_jvalue_get(root, "start");
	const char *text = id ? tm_jvalue_string(id) : NULL;
	uint64_t ticks;
	int64_t number;

	if (!text || strlen(text) >= sizeof(lease->boot_id) || !pid ||
	    tm_jvalue_i64(pid, &number) || number < 1 || number > INT32_MAX || !start ||
	    tm_jvalue_u64(start, &ticks))
		return -EINVAL;
	strcpy(lease->boot_id, text);
	lease->pid = (pid_t)number;
	lease->start = ticks;
	return 0;
}

/* A file of this folder that is none of the journals proper. */
static bool is_other_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 64 &&
	       !has_suffix(name) && strcmp(name, "lock") != 0 && strcmp(name, "new") != 0;
}

static int take_journal(const struct tm_jvalue *root, struct tm_journal *journal)
{
	const struct tm_jvalue *schema = tm_jvalue_get(root, "schema");
	const struct tm_jvalue *changes = tm_jvalue_get(root, "changes");
	const char *name = schema ? tm_jvalue_string(schema) : NULL;
	size_t cap = 0;
	int rc;

	if (!name || strcmp(name, "tiermem.journal/1") || !changes ||
	    tm_jvalue_type(changes) != TM_JARRAY)
		return -EINVAL;
	rc = take_lease(root, &journal->lease);
	if (!rc)
		rc = take_string(root, "title", false, &journal->title);
	if (!rc)
		rc = take_string(root, "kept_as", true, &journal->kept_as);
	if (!rc && journal->kept_as && !is_other_name(journal->kept_as))
		rc = -EINVAL;
	for (const struct tm_jvalue *v = tm_jvalue_first(changes); v && !rc;
	     v = tm_jvalue_next(v)) {
		rc = tm_array_grow(&journal->changes, journal->nr, &cap, sizeof(*journal->changes));
		if (rc)
			break;
		rc = take_change(journal, v, &journal->changes[journal->nr]);
		journal->nr++;
	}
	return rc;
}

int tm_journal_read(const struct tm_root *root, const char *name, struct tm_journal *journal,
		    struct tm_error *err)
{
	struct tm_journal read = { 0 };
	struct tm_buf text = TM_BUF_INIT;
	struct tm_jdoc *doc = NULL;
	char path[TM_PATH_MAX];
	int folder = tm_state_folder(root, false, err), rc;

	/* What lies in a stranger's folder is nobody's journal. */
	if (folder < 0)
		return folder;
	root->io->close(root->io_context, folder);
	rc = tm_path_format(path, TM_STATE_FOLDER "/%s", name);
	if (!rc)
		rc = tm_root_read(root, path, JOURNAL_MAX, &text);
	if (rc)
		return tm_error_errno(err, -rc, "/" TM_STATE_FOLDER "/%s", name);
	snprintf(read.name, sizeof(read.name), "%s", name);
	rc = tm_jdoc_parse(path, tm_buf_str(&text), text.len, &doc, err);
	tm_buf_release(&text);
	if (!rc) {
		rc = take_journal(tm_jdoc_root(doc), &read);
		if (rc == -EINVAL) {
			tm_error_set(err, EINVAL, "/%s: damaged, or not a journal", path);
			tm_error_hint(err, "compare the settings by hand, then remove the file");
		} else if (rc) {
			tm_error_nomem(err);
		}
	}
	tm_jdoc_free(doc);
	if (rc) {
		tm_journal_release(&read);
		return rc;
	}
	*journal = read;
	return 0;
}

static bool is_unfinished(const char *name)
{
	return has_suffix(name) && strlen(name) < 64 && strcmp(name, TM_JOURNAL_LAST);
}

static void release_list(struct tm_journal *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		tm_journal_release(&list[i]);
	free(list);
}

static int read_list(const struct tm_root *root, struct tm_scan *scan, struct tm_journal **list,
		     size_t *nr, struct tm_error *err)
{
	size_t cap = 0;
	const char *name;

	while ((name = tm_scan_next(scan))) {
		int rc;

		if (!is_unfinished(name))
			continue;
		if (tm_array_grow(list, *nr, &cap, sizeof(**list)))
			return tm_error_nomem(err);
		rc = tm_journal_read(root, name, &(*list)[*nr], err);
		/* Where it has gone, its process has finished just now. */
		if (rc && rc != -ENOENT)
			return rc;
		*nr += !rc;
	}
	return 0;
}

int tm_journal_list(const struct tm_root *root, struct tm_journal **list, size_t *nr,
		    struct tm_error *err)
{
	struct tm_error own = { 0 };
	struct tm_scan scan;
	int folder, rc;

	*list = NULL;
	*nr = 0;
	folder = tm_state_folder(root, false, &own);
	if (folder == -ENOENT)
		return 0;
	if (folder >= 0) {
		root->io->close(root->io_context, folder);
		rc = tm_scan_open(root, TM_STATE_FOLDER, &scan);
		if (rc) {
			tm_error_errno(&own, -rc, "/" TM_STATE_FOLDER);
		} else {
			rc = read_list(root, &scan, list, nr, &own);
			tm_scan_close(&scan);
		}
	} else {
		rc = folder;
	}
	if (!rc)
		return 0;
	if (err)
		*err = own;
	release_list(*list, *nr);
	*list = NULL;
	*nr = 0;
	return rc;
}

static bool names(const struct tm_journal *journal, const char *path)
{
	for (size_t i = 0; i < journal->nr; i++)
		if (!strcmp(journal->changes[i].path, path))
			return true;
	return false;
}

static int refuse_held(const struct tm_journal *journal, const char *path, struct tm_error *err)
{
	if (tm_lease_lives(&journal->lease)) {
		tm_error_set(err, EBUSY, "/%s: process %d (tiermem %s) holds it", path,
			     (int)journal->lease.pid, journal->title);
		tm_error_hint(err, "wait for it to end; it puts its settings back");
	} else {
		tm_error_set(err, EBUSY, "/%s: a killed tiermem %s has left it half-way", path,
			     journal->title);
		tm_error_hint(err, "run `tiermem recover` first");
	}
	return -EBUSY;
}

int tm_journal_conflict(const struct tm_root *root, const struct tm_change *changes, size_t nr,
			struct tm_error *err)
{
	struct tm_journal *list;
	size_t count;
	int rc = tm_journal_list(root, &list, &count, err);

	for (size_t i = 0; i < count && !rc; i++) {
		if (tm_lease_expired(&list[i].lease, root))
			continue;
		for (size_t c = 0; c < nr && !rc; c++)
			if (names(&list[i], changes[c].path))
				rc = refuse_held(&list[i], changes[c].path, err);
	}
	release_list(list, count);
	return rc;
}

int tm_journal_undo(const struct tm_root *root, struct tm_journal *journal, struct tm_error *err)
{
	size_t left = tm_changes_restore(root, journal->changes, journal->nr);

	journal->again = tm_changes_again(journal->changes, journal->nr);
	if (journal->kept_as && !journal->again && strcmp(journal->kept_as, journal->name))
		tm_journal_remove(root, journal->kept_as, NULL);
	if (!left)
		return 0;
	return tm_error_set(err, EREMOTEIO, "%zu setting%s could not be put back", left,
			    left > 1 ? "s" : "");
}
