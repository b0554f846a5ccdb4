/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The settings that tiermem can change: one row each. The rows drive what is shown, set, kept in
 * profiles and snapshots, completed and documented; writing itself is lib/plan's.
 *
 * A setting belongs to a set. Those of TM_KNOBS_WEIGHTS and TM_KNOBS_MTHP exist once per instance:
 * a node id, and a size in KiB. A value has three forms: the user's word ("tiering", "20G"), the
 * normal text that the file reads and takes ("2", "19073"; lib/base/form.h), and the file's raw
 * text.
 */
#ifndef TM_KNOB_KNOB_H
#define TM_KNOB_KNOB_H

#include "lib/base/form.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

enum tm_knob_set {
	TM_KNOBS_WEIGHTS, /* per node; sysfs-kernel-mm-mempolicy-weighted-interleave */
	TM_KNOBS_THP,	  /* admin-guide/mm/transhuge.rst, the settings for all sizes */
	TM_KNOBS_MTHP,	  /* the same document, per size in KiB */
	TM_KNOBS_POLICY,  /* demotion, NUMA balancing, reclaim */
};
#define TM_KNOB_SETS (TM_KNOBS_POLICY + 1)

/* A word by which people say a value. */
struct tm_knob_word {
	const char *word;
	const char *value; /* normal; NULL: the word itself */
	const char *help;  /* what it does, without a full stop */
};

struct tm_knob {
	const char *name; /* as commands and profiles have it */
	const char *path; /* relative to the root; %ld stands for the instance */
	enum tm_form form;
	/*
	 * TM_FORM_CHOICE: every word that some kernel takes; which of them this one takes says the
	 * file. TM_FORM_NUMBER: words for some numbers. Ends with a NULL word; NULL: none.
	 */
	const struct tm_knob_word *words;
	uint64_t min, max; /* TM_FORM_NUMBER: as the file has it */
	uint64_t scale;	   /* bytes per unit of the file's number; 0: no bytes, plain numbers */
	const char *unit;  /* of plain numbers: "ms", "pages"; NULL: none */
	const char *since; /* the kernel that brings it; NULL: older than 6.1 */
	const char *help;  /* what it is, without a full stop */
};

/* All rows of a set, in the order in which they are shown. */
const struct tm_knob *tm_knob_list(enum tm_knob_set set, size_t *nr);

/* NULL where the set has no such setting. */
const struct tm_knob *tm_knob_find(enum tm_knob_set set, const char *name);

/* `instance` is not looked at where the setting exists once. */
void tm_knob_path(const struct tm_knob *knob, long instance, char path[TM_PATH_MAX]);

/* A setting of this machine. */
struct tm_setting {
	const struct tm_knob *knob;
	long instance;
	struct tm_text value; /* normal */
	char *accepted; /* TM_FORM_CHOICE: the words in the file, one blank between; or NULL */
};

/* Reads it; what cannot be read says so in the value's state. 0 or -ENOMEM. */
int tm_setting_read(const struct tm_root *root, const struct tm_knob *knob, long instance,
		    struct tm_setting *setting);
void tm_setting_release(struct tm_setting *setting);

/*
 * The user's word into the normal text *normal (replaced on success only). `accepted` is that of
 * the setting, or NULL to take what any kernel does. -EINVAL, with what is wrong with it and what
 * would be right.
 */
int tm_knob_parse(const struct tm_knob *knob, const char *accepted, const char *word,
		  struct tm_buf *normal, struct tm_error *err);

/* Adds the user's word for a normal text: its name, else the number with its unit. */
void tm_knob_say(const struct tm_knob *knob, const char *normal, struct tm_buf *word);

/* The number of a normal text in bytes or in the knob's unit; unknown where it is none. */
struct tm_num tm_knob_number(const struct tm_knob *knob, const char *normal);

/* How the values can be written, for messages and help: "off, normal, tiering or 0 to 3". */
void tm_knob_describe(const struct tm_knob *knob, const char *accepted, struct tm_buf *text);

#endif
