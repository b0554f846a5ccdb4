/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/curses.h"

#include <dlfcn.h>
#include <errno.h>

#define LIBRARY "libncursesw.so.6"

int top_curses_load(struct top_curses *curses, struct tm_error *err)
{
	/* It stays: the signal handlers that it installs would be gone otherwise. */
	struct top_curses loaded = {
		.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
	};
	bool complete = loaded.handle != NULL;

	if (complete) {
		loaded.screen = dlsym(loaded.handle, "stdscr");
		loaded.colors = dlsym(loaded.handle, "COLORS");
		complete = loaded.screen && loaded.colors;
	}
#define LOAD(function)                                                        \
	if (complete) {                                                       \
		*(void **)&loaded.function = dlsym(loaded.handle, #function); \
		complete = loaded.function != NULL;                           \
	}
	TOP_CURSES(LOAD)
#undef LOAD
	if (complete) {
		*curses = loaded;
		return 0;
	}
	tm_error_set(err, ENOSYS, "the screen needs %s, which cannot be loaded", LIBRARY);
	tm_error_hint(err, "install it: apt-get install libncursesw6; --batch does without");
	top_curses_unload(&loaded);
	return -ENOSYS;
}

void top_curses_unload(struct top_curses *curses)
{
	if (curses->handle)
		dlclose(curses->handle);
	curses->handle = NULL;
}
