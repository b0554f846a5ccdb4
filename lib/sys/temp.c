/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Above what an archive may hold (lib/sys/entry.h). */
#define MAX_DEPTH 80

static void remove_all(int folder_fd, const char *name, int depth)
{
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (!unlinkat(folder_fd, name, 0) || depth > MAX_DEPTH)
		return;
	fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* What was captured as denied cannot be listed. */
	if (fd < 0 && errno == EACCES && !fchmodat(folder_fd, name, 0700, 0))
		fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	fchmod(fd, 0700);
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			remove_all(fd, entry->d_name, depth + 1);
	closedir(dir);
	unlinkat(folder_fd, name, AT_REMOVEDIR);
}

/*
 * The child. It keeps nothing open but the two descriptors, lest a pipe that the parent writes to
 * stays open after it, and no signal that is sent to the terminal or the service reaches it.
 */
static void guard(int alive, int folder_fd, const char *name)
{
	char byte;

	setsid();
	prctl(PR_SET_NAME, "tiermem-cleanup");
	/* Both are moved out of the way first: either may be 0 or 1. */
	alive = fcntl(alive, F_DUPFD, 3);
	folder_fd = fcntl(folder_fd, F_DUPFD, 3);
	dup2(alive, 0);
	dup2(folder_fd, 1);
	if (close_range(2, ~0U, 0))
		for (int fd = 2; fd < 4096; fd++)
			close(fd);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	remove_all(1, name, 0);
	_exit(0);
}

static int random_name(char name[64])
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, 64, ".tiermem-%016llx%016llx", (unsigned long long)random[0],
		 (unsigned long long)random[1]);
	return 0;
}

/* The guardian comes first, so that there is no moment in which nobody would remove it. */
static int start_guardian(struct tm_temp *temp)
{
	sigset_t all, before;
	int ends[2], rc = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (pid < 0)
		rc = -errno;
	if (!pid) {
		close(ends[1]);
		guard(ends[0], temp->folder_fd, temp->name);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	if (rc) {
		close(ends[1]);
		return rc;
	}
	temp->alive = ends[1];
	temp->guardian = pid;
	return 0;
}

/* In the folder `where`, of which at most `len` bytes count. */
static int make(struct tm_temp *temp, const char *where, int len, bool folder, struct tm_error *err)
{
	struct tm_temp made = { .fd = -1, .alive = -1 };
	char path[PATH_MAX];
	int rc;

	if (snprintf(path, sizeof(path), "%.*s", len, where) >= (int)sizeof(path))
		return tm_error_errno(err, ENAMETOOLONG, "%.100s", where);
	made.folder_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (made.folder_fd < 0)
		return tm_error_errno(err, errno, "%s", path);
	rc = random_name(made.name);
	if (!rc)
		rc = start_guardian(&made);
	if (rc) {
		close(made.folder_fd);
		return tm_error_errno(err, -rc, "%s: a temporary %s cannot be made", path,
				      folder ? "folder" : "file");
	}
	if (!folder)
		made.fd = openat(made.folder_fd, made.name,
				 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	else if (!mkdirat(made.folder_fd, made.name, 0700))
		made.fd = openat(made.folder_fd, made.name,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (made.fd < 0) {
		rc = -errno;
		tm_temp_release(&made);
		return tm_error_errno(err, -rc, "%s", path);
	}
	*temp = made;
	return 0;
}

int tm_temp_folder(struct tm_temp *temp, const char *where, struct tm_error *err)
{
	return make(temp, where, (int)strlen(where), true, err);
}

int tm_temp_file(struct tm_temp *temp, const char *beside, struct tm_error *err)
{
	const char *slash = strrchr(beside, '/');

	if (!slash)
		return make(temp, ".", 1, false, err);
	return make(temp, beside, slash > beside ? (int)(slash - beside) : 1, false, err);
}

int tm_temp_keep(struct tm_temp *temp, const char *path, bool replace)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (replace)
		return renameat(temp->folder_fd, temp->name, temp->folder_fd, name) ? -errno : 0;
	if (!renameat2(temp->folder_fd, temp->name, temp->folder_fd, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system can; a second name does the same, and the first is removed. */
	return linkat(temp->folder_fd, temp->name, temp->folder_fd, name, 0) ? -errno : 0;
}

void tm_temp_release(struct tm_temp *temp)
{
	if (!temp->guardian)
		return;
	if (temp->fd >= 0)
		close(temp->fd);
	close(temp->folder_fd);
	close(temp->alive);
	while (waitpid(temp->guardian, NULL, 0) < 0 && errno == EINTR)
		;
	*temp = (struct tm_temp){ .fd = -1 };
}
