/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile: the settings that a machine is to have, as a tiermem.profile/1 document
 * (tiermem-json(5)). Reading one looks at no machine: words that only the machine's own files can
 * judge are kept as they are, all else is checked.
 */
#ifndef TM_KNOB_PROFILE_H
#define TM_KNOB_PROFILE_H

#include "lib/json/build.h"
#include "lib/knob/knob.h"

#define TM_PROFILE_SCHEMA "tiermem.profile/1"

enum tm_profile_weights {
	TM_PROFILE_WEIGHTS_NONE,
	TM_PROFILE_WEIGHTS_BEST, /* the best of the machine that it is applied to */
	TM_PROFILE_WEIGHTS_AUTO, /* the kernel computes them */
	TM_PROFILE_WEIGHTS_GIVEN,
};

/* The instance that stands for every size of the machine that has no item of its own. */
#define TM_PROFILE_ALL (-1L)

struct tm_profile_item {
	enum tm_knob_set set;
	const struct tm_knob *knob;
	long instance; /* node id, KiB or TM_PROFILE_ALL; 0 where the setting exists once */
	char *word;    /* the user's, not empty */
};

struct tm_profile {
	enum tm_profile_weights weights;
	struct tm_profile_item *items; /* no setting of one instance twice */
	size_t nr, cap;
};

void tm_profile_release(struct tm_profile *profile);

/* Adds a setting that the profile has not. The word is copied. 0 or -ENOMEM. */
int tm_profile_add(struct tm_profile *profile, enum tm_knob_set set, const struct tm_knob *knob,
		   long instance, const char *word);

/* NULL: it has no such setting. */
const struct tm_profile_item *tm_profile_find(const struct tm_profile *profile,
					      const struct tm_knob *knob, long instance);

/*
 * `name` (a file's name) begins error messages, which also name the place by its JSON pointer.
 * -EBADMSG: not JSON, or no profile; -ENOMEM. *profile, which was empty, is set on success only.
 */
int tm_profile_parse(const char *name, const char *text, size_t len, struct tm_profile *profile,
		     struct tm_error *err);

/*
 * Adds the sections "weights", "mthp" and "policy", those that have something, to the object that
 * is open.
 */
void tm_profile_json(struct tm_json *json, const struct tm_profile *profile);

/* Adds where a setting stands in the document: "/mthp/sizes/64K/enabled". */
void tm_profile_place(enum tm_knob_set set, const struct tm_knob *knob, long instance,
		      struct tm_buf *place);

#endif
