/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which machine this is: kernel, host name, boot. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/read.h"

static struct tm_text known(const char *value)
{
	struct tm_text text = { strdup(value), TM_KNOWN };

	if (!text.value)
		text.state = TM_UNKNOWN;
	return text;
}

/* A captured tree without osrelease may have proc/version: "Linux version 5.18.0-rc4 (…". */
static struct tm_text release_from_version(struct tm_reader *rd)
{
	static const char prefix[] = "Linux version ";
	struct tm_text version = tm_read_text(rd, "proc/version");
	struct tm_text release = { NULL, version.state };
	char *start;

	if (version.state == TM_KNOWN) {
		release.state = TM_MALFORMED;
		if (!strncmp(version.value, prefix, strlen(prefix))) {
			start = version.value + strlen(prefix);
			start[strcspn(start, " \t\n")] = '\0';
			if (*start)
				release = known(start);
		}
	}
	tm_text_release(&version);
	return release;
}

unsigned tm_kernel_version(const char *release)
{
	unsigned major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major << 16 | (minor & 0xff) << 8;
}

int tm_read_system(struct tm_reader *rd)
{
	struct tm_machine *m = rd->machine;

	/* Not uname(2): what is not read below the root is in no snapshot. */
	m->kernel = tm_read_text(rd, "proc/sys/kernel/osrelease");
	if (m->kernel.state != TM_KNOWN) {
		tm_text_release(&m->kernel);
		m->kernel = release_from_version(rd);
	}
	m->host = tm_read_text(rd, "proc/sys/kernel/hostname");
	m->boot_id = tm_read_text(rd, "proc/sys/kernel/random/boot_id");
	if (m->kernel.state == TM_KNOWN)
		m->version = tm_kernel_version(m->kernel.value);
	if (rd->root->page_size)
		m->page_size = tm_num_known(rd->root->page_size);
	return 0;
}
