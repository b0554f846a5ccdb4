/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/libpfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#define LIBRARY "libpfm.so.4"

int tm_libpfm_load(struct tm_libpfm *pfm, struct tm_error *err)
{
	struct tm_libpfm loaded = { .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };
	bool complete = loaded.handle != NULL;
	int rc = PFM_SUCCESS;

#define LOAD(function)                                                        \
	if (complete) {                                                       \
		*(void **)&loaded.function = dlsym(loaded.handle, #function); \
		complete = loaded.function != NULL;                           \
	}
	TM_LIBPFM(LOAD)
#undef LOAD
	if (complete)
		rc = loaded.pfm_initialize();
	if (complete && rc == PFM_SUCCESS) {
		*pfm = loaded;
		return 0;
	}
	if (complete) {
		tm_error_set(err, ENOSYS, "%s: %s", LIBRARY, loaded.pfm_strerror(rc));
	} else {
		tm_error_set(err, ENOSYS, "names of CPU events need %s, which cannot be loaded",
			     LIBRARY);
		tm_error_hint(err, "install it: apt-get install libpfm4");
	}
	if (loaded.handle)
		dlclose(loaded.handle);
	return -ENOSYS;
}

void tm_libpfm_unload(struct tm_libpfm *pfm)
{
	if (pfm->handle) {
		pfm->pfm_terminate();
		dlclose(pfm->handle);
	}
	*pfm = (struct tm_libpfm){ 0 };
}
