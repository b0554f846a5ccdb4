/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/snapshot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/files.h"
#include "lib/base/buf.h"
#include "lib/base/units.h"
#include "lib/model/machine.h"
#include "lib/model/policy.h"
#include "lib/model/thp.h"
#include "lib/out/document.h"
#include "lib/sys/anonymise.h"
#include "lib/sys/archive.h"
#include "lib/sys/record.h"
#include "lib/sys/snapshot.h"

/* Above so many, memory blocks are asked for their state only on request. */
#define MANY_BLOCKS 16384

struct snapshot {
	struct app *app;
	struct tm_root root;
	struct tm_recorder recorder;
	struct tm_machine machine;
	bool blocks; /* every memory block was asked */
	struct tm_entry **list;
	size_t nr, files, denied;
	time_t time;
	char *document;
	struct timespec shown; /* when progress was last shown */
};

static bool has_many_blocks(const struct tm_machine *m)
{
	uint64_t total = 0;

	for (size_t i = 0; i < m->nr_nodes; i++) {
		const struct tm_num *blocks = &m->nodes[i].blocks.total;

		if (blocks->state == TM_NOT_ASKED)
			return true;
		total += blocks->value;
	}
	return total > MANY_BLOCKS;
}

static int read_machine(struct snapshot *s, struct tm_error *err)
{
	struct tm_machine_options options = { .blocks = app_option(s->app, "blocks") != NULL };
	const struct tm_root *root = &s->recorder.root;
	int rc = tm_machine_read(&s->machine, root, &options, err);

	s->blocks = options.blocks;
	if (rc || options.blocks || has_many_blocks(&s->machine))
		return rc;
	s->blocks = options.blocks = true;
	tm_machine_release(&s->machine);
	return tm_machine_read(&s->machine, root, &options, err);
}

/* Settings, counters and what else `policy show` reads; no processes. */
static int read_policy(struct snapshot *s, struct tm_error *err)
{
	struct tm_tier_policy policy = { 0 };
	int rc = tm_policy_read(&policy, &s->machine, &s->recorder.root, err);

	tm_policy_release(&policy);
	return rc;
}

static int read_thp(struct snapshot *s, struct tm_error *err)
{
	struct tm_thp thp = { 0 };
	int rc = tm_thp_read(&thp, &s->recorder.root, err);

	tm_thp_release(&thp);
	return rc;
}

/* The reading half of each command, through the recorder. */
static int (*const readers[])(struct snapshot *s, struct tm_error *err) = {
	read_machine,
	read_policy,
	read_thp,
};

/* What no reader opens, or only on some machines, but who looks at a snapshot will want. */
static const char *const extra[] = {
	"proc/cmdline",
	"proc/interrupts",
	"proc/iomem",
	"proc/meminfo",
	"proc/sys/kernel/numa_balancing*",
	"proc/sys/vm/clear_gigantic_nocache",
	"proc/version",
	"proc/vmstat",
	"proc/zoneinfo",
	"run/tiermem/damon.started",
	"sys/bus/cxl/devices/endpoint*/CDAT",
	"sys/bus/cxl/devices/port*/CDAT",
	"sys/bus/cxl/devices/region*/access0/*",
	"sys/bus/cxl/devices/region*/access1/*",
	"sys/firmware/acpi/tables/CEDT",
	"sys/firmware/acpi/tables/HMAT",
	"sys/firmware/acpi/tables/SLIT",
	"sys/firmware/acpi/tables/SRAT",
	"sys/devices/system/node/node*/numastat",
	"sys/devices/system/node/node*/vmstat",
	"sys/kernel/mm/damon/**",
	"sys/kernel/mm/mempolicy/**",
	"sys/kernel/mm/numa/**",
	"sys/kernel/mm/tlb_defer/**",
	"sys/kernel/mm/transparent_hugepage/**",
	"sys/module/damon_*/parameters/enabled",
};

static void show_progress(void *context, size_t files)
{
	struct snapshot *s = context;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == s->shown.tv_sec && now.tv_nsec - s->shown.tv_nsec < 100000000)
		return;
	s->shown = now;
	fprintf(stderr, "\r%zu files", files);
}

static bool wants_progress(const struct app *app)
{
	return !app->quiet && isatty(STDERR_FILENO);
}

static void clear_progress(const struct app *app)
{
	if (wants_progress(app))
		fprintf(stderr, "\r%24s\r", "");
}

static int read_all(struct snapshot *s, struct tm_error *err)
{
	int rc = 0;

	tm_recorder_init(&s->recorder, &s->root);
	if (wants_progress(s->app)) {
		s->recorder.progress = show_progress;
		s->recorder.progress_context = s;
	}
	for (size_t i = 0; !rc && i < TM_ARRAY_SIZE(readers); i++)
		rc = readers[i](s, err);
	for (size_t i = 0; !rc && i < TM_ARRAY_SIZE(extra); i++)
		tm_recorder_glob(&s->recorder, extra[i]);
	clear_progress(s->app);
	return rc;
}

static int list_entries(struct snapshot *s, struct tm_error *err)
{
	free(s->list);
	s->list = NULL;
	s->nr = s->recorder.nr;
	return tm_recorder_list(&s->recorder, &s->list, err);
}

/* A file's text as it is in the snapshot, which may be a stand-in. */
static struct tm_text stored(const struct snapshot *s, const char *path, const struct tm_text *read)
{
	const struct tm_entry *entry = tm_recorder_find(&s->recorder, path);
	struct tm_text text = { NULL, read->state };

	if (read->state != TM_KNOWN || !entry || !entry->data)
		return text;
	text.value = strndup(entry->data, strcspn(entry->data, "\n"));
	if (!text.value)
		text.state = TM_UNKNOWN;
	return text;
}

/* The document that is kept in the snapshot, and printed with --json. */
static int make_document(struct snapshot *s, bool anonymised, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	struct tm_identity identity = {
		.kernel = s->machine.kernel,
		.host = stored(s, "proc/sys/kernel/hostname", &s->machine.host),
		.boot_id = stored(s, "proc/sys/kernel/random/boot_id", &s->machine.boot_id),
		.root = anonymised && !s->root.live ? TM_ANONYMOUS_HOST : s->root.name,
	};
	int rc;

	if (json) {
		tm_document_begin_at(json, "snapshot", 1, &identity, s->time);
		tm_json_num(json, "page_size_bytes", s->machine.page_size);
		tm_json_bool(json, "blocks", s->blocks);
		tm_json_bool(json, "anonymised", anonymised);
		tm_json_u64(json, "files", s->files);
		tm_json_u64(json, "denied", s->denied);
		rc = tm_json_print(json, false, &s->document, err);
	} else {
		rc = tm_error_nomem(err);
	}
	tm_text_release(&identity.host);
	tm_text_release(&identity.boot_id);
	return rc;
}

static int finish_entries(struct snapshot *s, struct tm_error *err)
{
	bool anonymise = app_option(s->app, "anonymise") != NULL;
	int rc = list_entries(s, err);

	if (!rc && anonymise)
		rc = tm_anonymise(s->list, s->nr, err);
	for (size_t i = 0; !rc && i < s->nr; i++) {
		/* That of the snapshot from which this one is taken. */
		if (!strcmp(s->list[i]->path, TM_SNAPSHOT_DOCUMENT))
			continue;
		s->files += s->list[i]->kind == TM_ENTRY_FILE;
		s->denied += s->list[i]->denied;
	}
	if (!rc)
		rc = make_document(s, anonymise, err);
	if (rc)
		return rc;
	tm_recorder_add(&s->recorder, TM_SNAPSHOT_DOCUMENT, s->document, strlen(s->document));
	rc = list_entries(s, err);
	/* First, so that whoever unpacks it sees at once what it is. */
	for (size_t i = s->nr; !rc && i-- > 1;)
		if (!strcmp(s->list[i]->path, TM_SNAPSHOT_DOCUMENT)) {
			struct tm_entry *document = s->list[i];

			memmove(s->list + 1, s->list, i * sizeof(struct tm_entry *));
			s->list[0] = document;
			break;
		}
	return rc;
}

static int write_file(struct snapshot *s, const char *file, enum tm_compression compression,
		      struct tm_temp *temp, struct tm_error *err)
{
	int rc = tm_archive_write(temp->fd, compression, s->list, s->nr, s->time, err);

	if (rc)
		return rc;
	if (fsync(temp->fd))
		return tm_error_errno(err, errno, "%s", file);
	rc = tm_temp_keep(temp, file, app_option(s->app, "force") != NULL);
	return rc ? tm_error_errno(err, -rc, "%s", file) : 0;
}

static void print_list(struct snapshot *s)
{
	struct tm_buf buf = TM_BUF_INIT;

	for (size_t i = 0; i < s->nr; i++) {
		const struct tm_entry *entry = s->list[i];

		if (entry->write_only || (entry->kind != TM_ENTRY_FILE && !entry->denied))
			continue;
		tm_buf_add_printable(&buf, entry->path, strlen(entry->path));
		tm_buf_adds(&buf, entry->denied ? " (denied)\n" : "\n");
	}
	out_text(s->app, tm_buf_str(&buf));
	tm_buf_release(&buf);
}

static void print_result(struct snapshot *s, const char *file, const struct tm_temp *temp)
{
	struct tm_buf buf = TM_BUF_INIT;
	char size[TM_UNITS_MAX];
	struct stat st;

	if (s->app->json) {
		out_text(s->app, s->document);
		return;
	}
	if (s->app->dry_run)
		print_list(s);
	tm_buf_add_printable(&buf, file, strlen(file));
	tm_buf_addf(&buf, ": %zu files, %zu denied", s->files, s->denied);
	if (!s->app->dry_run && !fstat(temp->fd, &st))
		tm_buf_addf(&buf, ", %s", tm_format_bytes(size, (uint64_t)st.st_size));
	tm_buf_addc(&buf, '\n');
	out_text(s->app, tm_buf_str(&buf));
	tm_buf_release(&buf);
}

static int take(struct snapshot *s, const char *file, enum tm_compression compression)
{
	struct tm_temp temp = { 0 };
	struct tm_error err = { 0 };
	bool dry = s->app->dry_run;
	int rc = file_check_place(file, app_option(s->app, "force") != NULL, &err);

	/* Before the reading, which may take a while: whether it can be written at all. */
	if (!rc && !dry)
		rc = tm_temp_file(&temp, file, &err);
	if (!rc)
		rc = read_all(s, &err);
	if (!rc)
		rc = finish_entries(s, &err);
	if (!rc && !dry)
		rc = write_file(s, file, compression, &temp, &err);
	if (!rc)
		print_result(s, file, &temp);
	tm_temp_release(&temp);
	return rc ? report(s->app, EXIT_FAILED, &err) : EXIT_DONE;
}

static int run(struct app *app)
{
	struct snapshot s = { .app = app, .time = time(NULL) };
	const char *file = app->argv[0];
	enum tm_compression compression;
	struct tm_error err = { 0 };
	int code;

	if (tm_archive_compression(file, &compression)) {
		tm_error_set(&err, EINVAL, "%s: its name tells no kind of archive", file);
		tm_error_hint(&err, "end it in .tar, .tar.gz, .tar.xz or .tar.zst");
		return report(app, EXIT_USAGE, &err);
	}
	if (tm_root_open(&s.root, app->root, &err))
		return report(app, EXIT_FAILED, &err);
	/* A limit of the file's size is an error like a full disk, not a reason to be killed. */
	signal(SIGXFSZ, SIG_IGN);
	code = take(&s, file, compression);
	free(s.list);
	free(s.document);
	tm_machine_release(&s.machine);
	tm_recorder_release(&s.recorder);
	tm_root_close(&s.root);
	return code;
}

static const struct option options[] = {
	{ "anonymise", 'a', NULL, VALUE_TEXT,
	  "put stand-ins for serial numbers, UUIDs, hardware addresses and host name", NULL },
	{ "blocks", 'b', NULL, VALUE_TEXT, "keep the state of every memory block, however many",
	  NULL },
	{ "force", 'f', NULL, VALUE_TEXT, "replace FILE if it is there", NULL },
	{ NULL, 0, NULL, VALUE_TEXT, NULL, NULL },
};

const struct command snapshot_command = {
	.name = "snapshot",
	.summary = "capture what tiermem reads into one file, to look at elsewhere",
	.synopsis = "[--anonymise] [--blocks] [--force] FILE",
	.description =
		"Reads all that any command reads of this machine, and writes it to FILE, an "
		"archive whose name says how it is packed: .tar, .tar.gz, .tar.xz or "
		".tar.zst. With --root FILE every command then shows, on any machine, what it "
		"would have shown on this one.\n"
		"\n"
		"What this user may not read is kept as denied: run it as root for all of "
		"it. FILE is readable by its owner only. It tells the host's name, serial "
		"numbers of devices and the kernel's command line; --anonymise puts stand-ins "
		"for what names this machine, and --dry-run lists what would be captured.",
	.examples = "tiermem snapshot here.tar.zst  # this machine\n"
		    "tiermem --root here.tar.zst topology  # look at it, anywhere\n"
		    "tiermem snapshot --anonymise report.tar.zst  # to give away\n"
		    "tiermem snapshot --dry-run x.tar  # list what would be captured\n",
	.group = "Look",
	.options = options,
	.globals = GLOBAL_ROOT | GLOBAL_JSON | GLOBAL_DRY_RUN,
	.min_operands = 1,
	.max_operands = 1,
	.operand = "FILE",
	.operand_kind = VALUE_FILE,
	.run = run,
};
