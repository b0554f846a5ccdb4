/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/files.h"

#define SCHEMA "recording"
#define SCHEMA_NAME "tiermem.recording/1"

/* The machine besides its counters is looked at so often. */
#define FACTS_NS 10000000000ULL

int top_source_live(struct top_source *source, const char *root, struct tm_error *err)
{
	int rc;

	*source = (struct top_source){ .root = { .fd = -1 }, .facts_nr = 1 };
	rc = tm_root_open(&source->root, root, err);
	if (!rc)
		rc = top_facts_read(&source->facts, &source->root, err);
	if (!rc)
		rc = tm_sampler_open(&source->sampler, &source->root, TM_SAMPLE_FILES, err);
	if (rc)
		top_source_close(source);
	return rc;
}

int top_source_events(struct top_source *source, const char *const *names, size_t nr_names,
		      struct tm_error *err)
{
	return tm_sampler_add_events(&source->sampler, names, nr_names, err);
}

/* "FILE, line 3: why" */
static int at_line(const struct top_source *source, struct tm_error *err)
{
	struct tm_error inner = *err;

	tm_error_set(err, inner.number, "%s, line %lu: %s", source->name, source->line_nr,
		     inner.text);
	return -inner.number;
}

/*
 * The document in the next line. 1, 0 at the end, or -errno.
 */
static int next_line(struct top_source *source, struct tm_jdoc **doc, struct tm_error *err)
{
	const struct tm_jvalue *schema;
	const char *name;
	ssize_t len;
	int rc;

	errno = 0;
	len = getline(&source->line, &source->line_cap, source->recording);
	if (len < 0)
		return ferror(source->recording) || errno ?
			       tm_error_errno(err, errno ? errno : EIO, "%s", source->name) :
			       0;
	source->line_nr++;
	if (source->line[len - 1] != '\n')
		return 0;
	rc = tm_jdoc_parse(source->name, source->line, (size_t)len, doc, err);
	if (rc)
		return rc == -ENOMEM ? rc : at_line(source, err);
	schema = tm_jvalue_get(tm_jdoc_root(*doc), "schema");
	name = schema ? tm_jvalue_string(schema) : NULL;
	if (name && !strcmp(name, SCHEMA_NAME))
		return 1;
	tm_jdoc_free(*doc);
	*doc = NULL;
	tm_error_set(err, EINVAL, "no line of a recording (" SCHEMA_NAME ")");
	return at_line(source, err);
}

int top_source_replay(struct top_source *source, const char *file, struct tm_error *err)
{
	int rc;

	*source = (struct top_source){ .root = { .fd = -1 }, .name = file, .facts_nr = 1 };
	source->recording = fopen(file, "re");
	if (!source->recording)
		return tm_error_errno(err, errno, "%s", file);
	rc = next_line(source, &source->first, err);
	if (!rc)
		rc = tm_error_set(err, EINVAL, "%s: an empty recording", file);
	if (rc > 0) {
		rc = top_facts_parse(&source->facts, tm_jdoc_root(source->first), err);
		if (rc == -EINVAL)
			at_line(source, err);
	}
	if (rc)
		top_source_close(source);
	return rc;
}

void top_source_close(struct top_source *source)
{
	top_facts_release(&source->facts);
	tm_sampler_close(&source->sampler);
	tm_root_close(&source->root);
	if (source->recording)
		fclose(source->recording);
	free(source->line);
	tm_jdoc_free(source->first);
	*source = (struct top_source){ .root = { .fd = -1 } };
}

int top_source_processes(struct top_source *source, bool on, struct tm_error *err)
{
	return source->recording ? 0 : tm_sampler_processes(&source->sampler, on, err);
}

int top_source_fd(const struct top_source *source)
{
	return source->sampler.processes ? tm_processes_fd(source->sampler.processes) : -1;
}

void top_source_drain(struct top_source *source)
{
	if (source->sampler.processes)
		tm_processes_drain(source->sampler.processes);
}

bool top_source_flush_error(const struct top_source *source, struct tm_error *err)
{
	return source->sampler.events && tm_events_flush_error(source->sampler.events, err);
}

/* A new look at the machine, where the last was long ago. */
static int refresh(struct top_source *source, uint64_t now_ns, struct tm_error *err)
{
	int rc = 0;

	if (!source->facts_ns)
		source->facts_ns = now_ns;
	if (now_ns - source->facts_ns < FACTS_NS)
		return 0;
	source->facts_ns = now_ns;
	rc = top_facts_refresh(&source->facts, &source->root, err);
	if (rc > 0)
		source->facts_nr++;
	return rc < 0 ? rc : 0;
}

/* A line that has the machine's facts brings new ones. */
static int take_facts(struct top_source *source, const struct tm_jvalue *document,
		      struct tm_error *err)
{
	struct top_facts facts;
	int rc;

	if (!tm_jvalue_get(document, "machine"))
		return 0;
	rc = top_facts_parse(&facts, document, err);
	if (rc)
		return rc;
	top_facts_release(&source->facts);
	source->facts = facts;
	source->facts_nr++;
	return 0;
}

int top_source_next(struct top_source *source, struct tm_sample *sample, struct tm_error *err)
{
	struct tm_jdoc *doc = source->first;
	int rc;

	if (!source->recording) {
		rc = tm_sample_take(&source->sampler, sample, err);
		if (!rc)
			rc = refresh(source, sample->time_ns, err);
		return rc ? rc : 1;
	}
	source->first = NULL;
	rc = doc ? 1 : next_line(source, &doc, err);
	if (rc <= 0)
		return rc;
	rc = take_facts(source, tm_jdoc_root(doc), err);
	if (!rc)
		rc = tm_sample_parse(sample, tm_jdoc_root(doc), err);
	tm_jdoc_free(doc);
	if (rc == -EINVAL)
		return at_line(source, err);
	return rc ? rc : 1;
}

int top_recorder_open(struct top_recorder *recorder, const char *file, bool force,
		      struct tm_error *err)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
	struct stat st;

	*recorder = (struct top_recorder){ .fd = -1, .name = file };
	/* Into a pipe is not into a file. */
	if (!stat(file, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))) {
		recorder->fd = open(file, O_WRONLY | O_CLOEXEC);
	} else {
		int rc = file_check_place(file, force, err);

		if (rc)
			return rc;
		recorder->fd = open(file, flags | (force ? O_TRUNC : O_EXCL), 0644);
	}
	return recorder->fd < 0 ? tm_error_errno(err, errno, "%s", file) : 0;
}

void top_recorder_close(struct top_recorder *recorder)
{
	if (recorder->fd >= 0)
		close(recorder->fd);
	recorder->fd = -1;
}

static int make_line(const struct top_recorder *recorder, const struct top_source *source,
		     const struct tm_sample *sample, char **line, struct tm_error *err)
{
	TM_CLEANUP(tm_json_freep) struct tm_json *json = tm_json_new();
	struct tm_identity identity = top_facts_identity(&source->facts);

	if (!json)
		return tm_error_nomem(err);
	tm_document_begin_at(json, SCHEMA, 1, &identity, (time_t)(sample->wall_ns / 1000000000));
	if (recorder->facts_nr != source->facts_nr)
		top_facts_write(json, &source->facts, sample->time_ns);
	tm_sample_write(json, sample);
	return tm_json_print(json, true, line, err);
}

static int write_line(const struct top_recorder *recorder, const char *line)
{
	size_t len = strlen(line), done = 0;
	off_t end = lseek(recorder->fd, 0, SEEK_END);

	while (done < len) {
		ssize_t n = write(recorder->fd, line + done, len - done);
		int number = errno;

		if (n < 0 && number == EINTR)
			continue;
		if (n < 0) {
			/* A pipe cannot be cut back, and needs not be. */
			if (end >= 0 && ftruncate(recorder->fd, end))
				return -errno;
			return -number;
		}
		done += (size_t)n;
	}
	return 0;
}

int top_recorder_add(struct top_recorder *recorder, const struct top_source *source,
		     const struct tm_sample *sample, struct tm_error *err)
{
	TM_CLEANUP(tm_freep) char *line = NULL;
	int rc;

	if (recorder->fd < 0)
		return 0;
	rc = make_line(recorder, source, sample, &line, err);
	if (rc || !line)
		return rc;
	rc = write_line(recorder, line);
	if (rc)
		return tm_error_errno(err, -rc, "%s", recorder->name);
	recorder->facts_nr = source->facts_nr;
	return 0;
}
