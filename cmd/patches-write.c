/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the changed files of a source tree: all or nothing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/patches-tree.h"

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static const char *name_in_folder(const struct tree_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash ? slash + 1 : file->path;
}

static int write_all(int fd, const struct tm_buf *text)
{
	for (size_t at = 0; at < text->len;) {
		ssize_t n = write(fd, text->data + at, text->len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += (size_t)TM_MAX(n, 0);
	}
	return 0;
}

/*
 * Writes a state of the file beside it. As it was before, it also gets back its times, so that
 * `make` sees no change.
 */
static int write_beside(struct tree_file *file, const struct tree_state *state)
{
	const struct timespec times[2] = { file->st.st_atim, file->st.st_mtim };
	struct tm_error why = { 0 };
	char place[64 + 256];
	int rc;

	/* Through the folder that is open: nobody can put another in its place. */
	snprintf(place, sizeof(place), "/proc/self/fd/%d/x", file->folder_fd);
	rc = tm_temp_file(&file->temp, place, &why);
	if (!rc)
		rc = write_all(file->temp.fd, &state->text);
	if (rc)
		return rc;
	/* Only root may give it away, and need: then it stays whose it was. */
	if (file->before.there && fchown(file->temp.fd, file->st.st_uid, file->st.st_gid) &&
	    errno != EPERM)
		return -errno;
	if (fchmod(file->temp.fd, state->mode))
		return -errno;
	if (state == &file->before)
		futimens(file->temp.fd, times);
	return fsync(file->temp.fd) ? -errno : 0;
}

/* On the disk before anything is moved. */
static int prepare(struct source_tree *tree, struct tree_file *file)
{
	const char *name;

	file->folder_fd = tree_open_folder(tree, file->path, true, &name);
	if (file->folder_fd < 0)
		return file->folder_fd;
	return file->now.there ? write_beside(file, &file->now) : 0;
}

/* Does the file hold this now? 0, -ESTALE or what reading gives. */
static int compare(const struct tree_file *file, const struct tree_state *state)
{
	int fd = openat(file->folder_fd, name_in_folder(file),
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct tm_buf text = TM_BUF_INIT;
	int rc;

	if (fd < 0)
		return errno == ENOENT && !state->there ? 0 : errno == ENOENT ? -ESTALE : -errno;
	rc = state->there ? tree_read_fd(fd, &text) : -ESTALE;
	close(fd);
	if (!rc && (text.len != state->text.len ||
		    memcmp(tm_buf_str(&text), tm_buf_str(&state->text), text.len) != 0))
		rc = -ESTALE;
	tm_buf_release(&text);
	return rc;
}

static int put_in_place(struct source_tree *tree, struct tree_file *file)
{
	const char *name = name_in_folder(file);
	int rc = compare(file, &file->before);

	(void)tree;
	if (rc)
		return rc;
	if (file->now.there)
		rc = tm_temp_keep(&file->temp, name, file->before.there);
	else
		rc = unlinkat(file->folder_fd, name, 0) ? -errno : 0;
	file->done = !rc;
	if (!rc && fsync(file->folder_fd))
		rc = -errno;
	return rc;
}

static int put_back(struct tree_file *file)
{
	const char *name = name_in_folder(file);
	int rc = 0;

	tm_temp_release(&file->temp);
	if (!file->before.there)
		rc = unlinkat(file->folder_fd, name, 0) ? -errno : 0;
	else
		rc = write_beside(file, &file->before);
	if (!rc && file->before.there)
		rc = tm_temp_keep(&file->temp, name, file->now.there);
	if (!rc)
		rc = compare(file, &file->before);
	if (!rc && fsync(file->folder_fd))
		rc = -errno;
	file->done = rc != 0;
	return rc;
}

/* Those that would end the program: not what nohup has it ignore. */
static void choose_signals(sigset_t *signals)
{
	sigemptyset(signals);
	for (size_t i = 0; i < TM_ARRAY_SIZE(endings); i++) {
		struct sigaction action;

		if (!sigaction(endings[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(signals, endings[i]);
	}
}

static bool is_ended(void)
{
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	for (size_t i = 0; i < TM_ARRAY_SIZE(endings); i++)
		if (sigismember(&pending, endings[i]) > 0)
			return true;
	return false;
}

static int explain(const struct source_tree *tree, const struct tree_file *file, int rc,
		   struct tm_error *err)
{
	if (rc == -EINTR)
		return tm_error_set(err, EINTR, "interrupted; nothing is changed");
	if (rc == -ESTALE)
		return tm_error_set(err, ESTALE, "%s/%s: was changed meanwhile", tree->name,
				    file->path);
	if (rc == -ENOTDIR || rc == -ELOOP)
		return tm_error_set(err, -rc, "%s/%s: is below what is no folder", tree->name,
				    file->path);
	return tm_error_errno(err, -rc, "%s/%s: cannot be written", tree->name, file->path);
}

/* One step for each changed file. The first failure ends it, and so does a signal. */
static int for_changed(struct source_tree *tree,
		       int (*step)(struct source_tree *tree, struct tree_file *file),
		       struct tm_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < tree->nr && !rc; i++) {
		if (!tree_is_changed(tree->files[i]))
			continue;
		rc = is_ended() ? -EINTR : step(tree, tree->files[i]);
		if (rc)
			explain(tree, tree->files[i], rc, err);
	}
	return rc;
}

static int take_back(struct source_tree *tree, int rc, struct tm_error *err)
{
	for (size_t i = tree->nr; i-- > 0;) {
		struct tree_file *file = tree->files[i];

		if (!file->done)
			continue;
		file->left = put_back(file) != 0;
		if (file->left)
			rc = -EREMOTEIO;
	}
	/* The folders that were made must be empty. */
	for (size_t i = 0; i < tree->nr; i++)
		tm_temp_release(&tree->files[i]->temp);
	for (size_t i = tree->nr_made; i-- > 0;)
		unlinkat(tree->fd, tree->made[i], AT_REMOVEDIR);
	if (rc == -EREMOTEIO)
		err->number = EREMOTEIO;
	return rc;
}

/* As git does: a folder goes with its last file. */
static void remove_empty(struct source_tree *tree, const char *path)
{
	char folder[4096], *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	while ((slash = strrchr(folder, '/'))) {
		const char *name;
		int fd;

		*slash = '\0';
		fd = tree_open_folder(tree, folder, false, &name);
		if (fd < 0)
			return;
		if (unlinkat(fd, name, AT_REMOVEDIR))
			*folder = '\0';
		close(fd);
	}
}

static void release_all(struct source_tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++) {
		struct tree_file *file = tree->files[i];

		tm_temp_release(&file->temp);
		if (file->folder_fd >= 0)
			close(file->folder_fd);
		file->folder_fd = -1;
	}
}

int tree_write(struct source_tree *tree, struct tm_error *err)
{
	sigset_t signals, before;
	int rc;

	choose_signals(&signals);
	/* A limit of the file's size is an error like a full disk, not a reason to be killed. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = for_changed(tree, prepare, err);
	if (!rc)
		rc = for_changed(tree, put_in_place, err);
	if (rc)
		rc = take_back(tree, rc, err);
	for (size_t i = 0; i < tree->nr && !rc; i++)
		if (tree->files[i]->before.there && !tree->files[i]->now.there)
			remove_empty(tree, tree->files[i]->path);
	release_all(tree);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}
