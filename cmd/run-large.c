/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --large needs: a program that can be preloaded, the library, and the environment that tells
 * it what to do.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cmd/run-view.h"

#ifndef TIERMEM_LIBDIR
#define TIERMEM_LIBDIR "/usr/local/lib"
#endif
#define LIBRARY "libtiermem-large.so"

/* As deep as the kernel follows interpreters of interpreters. */
#define SCRIPTS_MAX 5

struct program {
	const char *path;
	int fd;
	ssize_t len;
	union {
		char text[4096];
		ElfW(Ehdr) elf;
	} head;
};

static int open_program(const char *path, struct program *p)
{
	*p = (struct program){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (p->fd < 0)
		return -errno;
	p->len = pread(p->fd, p->head.text, sizeof(p->head.text) - 1, 0);
	if (p->len >= 0)
		return 0;
	close(p->fd);
	return -errno;
}

static bool is_elf(const struct program *p)
{
	return p->len >= EI_NIDENT && !memcmp(p->head.text, ELFMAG, SELFMAG);
}

/* The loader's file name without folders, or "" where there is none: then the program is static. */
static int find_loader(const struct program *p, char name[NAME_MAX + 1])
{
	const ElfW(Ehdr) *elf = &p->head.elf;
	char path[PATH_MAX];
	ElfW(Phdr) part;

	*name = '\0';
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		off_t at = (off_t)elf->e_phoff + (off_t)i * elf->e_phentsize;
		const char *slash;

		if (pread(p->fd, &part, sizeof(part), at) != sizeof(part))
			return -ENOEXEC;
		if (part.p_type != PT_INTERP)
			continue;
		if (part.p_filesz < 2 || part.p_filesz > sizeof(path) ||
		    pread(p->fd, path, part.p_filesz, (off_t)part.p_offset) !=
			    (ssize_t)part.p_filesz ||
		    path[part.p_filesz - 1])
			return -ENOEXEC;
		slash = strrchr(path, '/');
		if (!memccpy(name, slash ? slash + 1 : path, 0, NAME_MAX + 1))
			return -ENOEXEC;
		return 0;
	}
	return 0;
}

/* tiermem itself is what the library was built like. */
static int read_own(struct program *p, char loader[NAME_MAX + 1])
{
	int rc = open_program("/proc/self/exe", p);

	if (rc)
		return rc;
	rc = is_elf(p) ? find_loader(p, loader) : -ENOEXEC;
	close(p->fd);
	return rc;
}

static int refuse(const char *path, const char *why, struct tm_error *err)
{
	tm_error_set(err, ENOTSUP, "%.200s: %s", path, why);
	tm_error_hint(err,
		      "--large preloads a library; without it the policy is for all memory of the "
		      "process");
	return -ENOTSUP;
}

/* The loader ignores what is preloaded where the program gets rights that its user has not. */
static const char *find_privilege(const struct program *p)
{
	struct stat st;

	if (fstat(p->fd, &st))
		return NULL;
	if (st.st_mode & S_ISUID)
		return "is setuid, and ignores preloaded libraries";
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		return "is setgid, and ignores preloaded libraries";
	if (fgetxattr(p->fd, "security.capability", NULL, 0) > 0)
		return "has file capabilities, and ignores preloaded libraries";
	return NULL;
}

static int check_elf(const struct program *p, struct tm_error *err)
{
	char loader[NAME_MAX + 1], own_loader[NAME_MAX + 1];
	const char *why = find_privilege(p);
	struct program own;
	int rc;

	if (why)
		return refuse(p->path, why, err);
	rc = read_own(&own, own_loader);
	if (rc)
		return tm_error_errno(err, -rc, "/proc/self/exe");
	if (p->len < (ssize_t)sizeof(p->head.elf) ||
	    p->head.text[EI_CLASS] != own.head.text[EI_CLASS] ||
	    p->head.text[EI_DATA] != own.head.text[EI_DATA] ||
	    p->head.elf.e_machine != own.head.elf.e_machine)
		return refuse(p->path, "is built for another kind of machine than tiermem", err);
	rc = find_loader(p, loader);
	if (rc)
		return refuse(p->path, "its program headers are damaged", err);
	if (!*loader)
		return refuse(p->path, "is linked statically, and loads no library", err);
	/* Another C library has another loader, and cannot load ours. */
	if (strcmp(loader, own_loader))
		return refuse(p->path, "uses another C library than tiermem", err);
	return 0;
}

/* "#! /usr/bin/python3 -u": the interpreter. False where the line is not one. */
static bool take_interpreter(struct program *p, char path[PATH_MAX])
{
	char *start, *text = p->head.text;

	if (p->len < 2 || text[0] != '#' || text[1] != '!')
		return false;
	text[p->len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	start = text + 2 + strspn(text + 2, " \t");
	start[strcspn(start, " \t")] = '\0';
	return *start && snprintf(path, PATH_MAX, "%s", start) < PATH_MAX;
}

int run_check_program(const char *name, struct tm_error *err)
{
	char path[PATH_MAX];
	int rc = 0;

	if (snprintf(path, sizeof(path), "%s", name) >= (int)sizeof(path))
		return tm_error_errno(err, ENAMETOOLONG, "%.200s", name);
	for (int depth = 0; depth < SCRIPTS_MAX && !rc; depth++) {
		struct program p;

		/* One that may be executed and not read is taken on trust. */
		rc = open_program(path, &p);
		if (rc == -EACCES)
			return 0;
		if (rc)
			return tm_error_errno(err, -rc, "%.200s", path);
		if (is_elf(&p)) {
			p.path = path;
			rc = check_elf(&p, err);
			close(p.fd);
			return rc;
		}
		/* What the kernel does not know, execvp() gives to the shell. */
		if (!take_interpreter(&p, path))
			strcpy(path, "/bin/sh");
		close(p.fd);
	}
	return refuse(name, "its interpreters go round in a circle", err);
}

/* Beside tiermem where that was built; else where it was installed. */
int run_find_library(char **path, struct tm_error *err)
{
	static const char *const places[] = { "/" LIBRARY, "/build/" LIBRARY };
	char self[PATH_MAX], *slash, *found = NULL;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		return tm_error_errno(err, errno, "/proc/self/exe");
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i <= TM_ARRAY_SIZE(places); i++) {
		int n = i < TM_ARRAY_SIZE(places) ?
				asprintf(&found, "%s%s", self, places[i]) :
				asprintf(&found, "%s", TIERMEM_LIBDIR "/tiermem/" LIBRARY);

		if (n < 0)
			return tm_error_nomem(err);
		if (!access(found, R_OK))
			break;
		free(found);
		found = NULL;
	}
	if (!found) {
		tm_error_set(err, ENOENT,
			     "--large: " LIBRARY " is not in " TIERMEM_LIBDIR "/tiermem");
		tm_error_hint(err, "`make install` puts it there");
		return -ENOENT;
	}
	/* LD_PRELOAD is a list, and has no way to quote its separators. */
	if (found[strcspn(found, ": ")]) {
		tm_error_set(err, EINVAL,
			     "--large: %s cannot be preloaded from a folder with ':' or a "
			     "blank in its name",
			     found);
		free(found);
		return -EINVAL;
	}
	*path = found;
	return 0;
}

int run_set_environment(const struct run *run, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *nodes = tm_idset_format(&run->nodes);
	const char *before = getenv("LD_PRELOAD");
	struct tm_buf preload = TM_BUF_INIT, what = TM_BUF_INIT;
	int rc = 0;

	tm_buf_adds(&preload, run->library);
	if (before && *before)
		tm_buf_addf(&preload, ":%s", before);
	tm_buf_addf(&what, "%s:%s:%llu", tm_policy_name(run->policy), nodes ? nodes : "",
		    (unsigned long long)run->large);
	if (!nodes || preload.failed || what.failed ||
	    setenv("LD_PRELOAD", tm_buf_str(&preload), 1) ||
	    setenv("TIERMEM_LARGE", tm_buf_str(&what), 1))
		rc = tm_error_nomem(err);
	tm_buf_release(&preload);
	tm_buf_release(&what);
	return rc;
}
