/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/libarchive.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#define LIBRARY "libarchive.so.13"

int tm_libarchive_load(struct tm_libarchive *la, struct tm_error *err)
{
	struct tm_libarchive loaded = { .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };
	bool complete = loaded.handle != NULL;

#define LOAD(function)                                                        \
	if (complete) {                                                       \
		*(void **)&loaded.function = dlsym(loaded.handle, #function); \
		complete = loaded.function != NULL;                           \
	}
	TM_LIBARCHIVE(LOAD)
#undef LOAD
	if (complete) {
		*la = loaded;
		return 0;
	}
	tm_error_set(err, ENOSYS, "snapshots need %s, which cannot be loaded", LIBRARY);
	tm_error_hint(
		err, "install it: apt-get install libarchive13 (on some releases libarchive13t64)");
	tm_libarchive_unload(&loaded);
	return -ENOSYS;
}

void tm_libarchive_unload(struct tm_libarchive *la)
{
	if (la->handle)
		dlclose(la->handle);
	la->handle = NULL;
}
