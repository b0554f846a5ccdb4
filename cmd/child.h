/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that tiermem runs as its child, so that whoever started tiermem sees no difference:
 * what it inherits, the signals it gets, and how it ends.
 *
 *	child_choose_signals → block them → child_start → child_go → child_attend → child_end_alike
 */
#ifndef CMD_CHILD_H
#define CMD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/base/error.h"

/* Beside the usual exit codes, as env(1) has them; all else is the command's own. */
enum child_exit {
	CHILD_FAILED = 125, /* tiermem itself */
	CHILD_CANNOT = 126, /* the command is there and cannot be executed */
	CHILD_ABSENT = 127, /* there is no such command */
};

/*
 * Finds a command as execvp(3) would, into *program, which the caller frees. 0, or the exit code
 * with the reason in *err.
 */
int child_find_program(const char *name, char **program, struct tm_error *err);

/* The exit code for what executing it failed with (a negative errno), and the reason in *err. */
int child_cannot_execute(const char *name, int rc, struct tm_error *err);

/* What main put in the place of descriptors that were closed is not for the command. */
void child_close_stand_ins(void);

struct child {
	pid_t pid;
	int go;	    /* a byte lets it execute; its end, without one, ends it */
	int failed; /* brings the errno of executing; its end: none */
};

struct child_setup {
	const char *program;
	char **argv;
	const sigset_t *mask;	    /* that tiermem was started with */
	const struct rlimit *files; /* the same of RLIMIT_NOFILE; NULL: that was not changed */
	bool output_to_error;	    /* standard output is tiermem's own: it gets standard error */
};

/* Forks the child, which waits for child_go. 0 or -errno. */
int child_start(struct child *child, const struct child_setup *setup, struct tm_error *err);

/* Lets it execute. 0 once it has, or the -errno of that; then its end has been waited for. */
int child_go(struct child *child);

/* Ends one that waits for child_go. Harmless on one that executes, or was never started. */
void child_drop(struct child *child);

/* All that a parent hands on: it blocks them, waits for them, and lives on. */
void child_choose_signals(sigset_t *signals);

struct child_end {
	int status; /* as waitpid(2) gives it */
	struct rusage usage;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	bool interrupted; /* by a signal that ends, to tiermem or to both */
};

/* Waits for its end, and hands on the signals (which are blocked) meanwhile. 0 or -errno. */
int child_attend(pid_t pid, const sigset_t *signals, struct child_end *end);

/* Ends as the command did, or returns its exit code. */
int child_end_alike(int status);

#endif
