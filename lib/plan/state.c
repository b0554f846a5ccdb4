/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state folder, the lock in it, and whose a lease is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/plan/journal.h"
#include "lib/plan/state.h"
#include "lib/sys/process-stat.h"

#define WAIT_TRIES 100 /* of a tenth of a second */

static int open_folder(const struct tm_root *root)
{
	return tm_root_openat(root, TM_STATE_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

static int make_in(const struct tm_root *root, const char *parent, const char *name, mode_t mode)
{
	/* Step by step through the root: a captured run/ may be a link to anywhere. */
	int fd = tm_root_openat(root, parent, O_RDONLY | O_DIRECTORY, 0), rc;

	if (fd < 0)
		return fd;
	rc = root->io->mkdir(root->io_context, fd, name, mode);
	root->io->close(root->io_context, fd);
	return rc == -EEXIST ? 0 : rc;
}

/* What others may write to is no place to keep what root will put back. */
static int check_owner(int fd, bool make)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 0022))
		return -EPERM;
	/* Nor is it for others to read. */
	if (make && (st.st_mode & 0077) && fchmod(fd, 0700))
		return -errno;
	return 0;
}

int tm_state_folder(const struct tm_root *root, bool make, struct tm_error *err)
{
	int fd = open_folder(root), rc;

	if (fd == -ENOENT && make) {
		/* /run is there on every machine; a captured tree may lack it. */
		rc = make_in(root, ".", "run", 0755);
		if (!rc)
			rc = make_in(root, "run", "tiermem", 0700);
		if (rc)
			return tm_error_errno(err, -rc, "/" TM_STATE_FOLDER);
		fd = open_folder(root);
	}
	if (fd < 0)
		return tm_error_errno(err, -fd, "/" TM_STATE_FOLDER);
	rc = check_owner(fd, make);
	if (!rc)
		return fd;
	root->io->close(root->io_context, fd);
	if (rc != -EPERM)
		return tm_error_errno(err, -rc, "/" TM_STATE_FOLDER);
	tm_error_set(err, EPERM, "/" TM_STATE_FOLDER ": not this user's own folder");
	tm_error_hint(err, "remove it, and it is made anew");
	return -EPERM;
}

static int take_lock(int fd, bool wait)
{
	static const struct timespec tenth = { .tv_nsec = 100000000 };

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (!wait || i == WAIT_TRIES)
			return -EBUSY;
		nanosleep(&tenth, NULL);
	}
	return 0;
}

int tm_state_lock(const struct tm_root *root, unsigned flags, struct tm_error *err)
{
	int folder = tm_state_folder(root, flags & TM_LOCK_MAKE, err), fd, rc;

	if (folder < 0)
		return folder;
	root->io->close(root->io_context, folder);
	fd = tm_root_openat(root, TM_STATE_FOLDER "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	if (fd < 0)
		return tm_error_errno(err, -fd, "/" TM_STATE_FOLDER "/lock");
	rc = take_lock(fd, flags & TM_LOCK_WAIT);
	if (!rc)
		return fd;
	close(fd);
	if (rc != -EBUSY)
		return tm_error_errno(err, -rc, "/" TM_STATE_FOLDER "/lock");
	tm_error_set(err, EBUSY, "another tiermem is writing settings");
	tm_error_hint(err, "it takes moments: repeat the command");
	return -EBUSY;
}

/* -ESRCH for a process that has ended, also where nobody has waited for it yet. */
static int start_of(pid_t pid, unsigned long long *start)
{
	struct tm_process_stat stat;
	char path[64], text[1024];
	ssize_t n;
	int fd, rc;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	rc = tm_process_stat_parse(text, &stat);
	if (rc)
		return rc;
	if (strchr("ZXx", stat.state))
		return -ESRCH;
	*start = stat.start;
	return 0;
}

static int boot_id(char id[64])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, id, 63);
	close(fd);
	if (n <= 0)
		return -EIO;
	id[n] = '\0';
	id[strcspn(id, "\n")] = '\0';
	return 0;
}

/* Processes are of this machine, whatever root is written to. */
int tm_lease_mine(struct tm_lease *lease, struct tm_error *err)
{
	struct tm_lease mine = { .pid = getpid() };
	int rc = boot_id(mine.boot_id);

	if (!rc)
		rc = start_of(mine.pid, &mine.start);
	if (rc) {
		tm_error_errno(err, -rc, "/proc");
		tm_error_hint(err, "procfs must be mounted");
		return rc;
	}
	*lease = mine;
	return 0;
}

bool tm_lease_lives(const struct tm_lease *lease)
{
	unsigned long long start = 0;
	char id[64] = "";

	return !boot_id(id) && !strcmp(id, lease->boot_id) && !start_of(lease->pid, &start) &&
	       start == lease->start;
}

bool tm_lease_expired(const struct tm_lease *lease, const struct tm_root *root)
{
	char id[64];

	return root->live && !boot_id(id) && strcmp(id, lease->boot_id) != 0;
}
