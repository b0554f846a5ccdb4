/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Documentation/admin-guide/mm/damon/usage.rst, "sysfs Interface". */
#include "lib/model/damon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/sys/attr.h"

/* No one has more; a tree that says so is not read to its end. */
#define MOST 4096

struct reading {
	const struct tm_root *root;
	const struct tm_damon_owned *owned;
	size_t nr_owned;
};

/* A folder of the hierarchy, and one below it. */
struct place {
	char path[TM_PATH_MAX];
};

TM_PRINTF(2, 3)
static struct place below(const struct place *place, const char *fmt, ...)
{
	struct place found = { "" };
	char name[TM_PATH_MAX];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = tm_path_vformat(name, fmt, ap);
	va_end(ap);
	if (rc || tm_path_format(found.path, "%s/%s", place->path, name))
		found.path[0] = '\0';
	return found;
}

static struct tm_num read_num(const struct tm_root *root, const struct place *place,
			      const char *name)
{
	struct place file = below(place, "%s", name);

	return tm_attr_num(root, file.path);
}

/* A number that is -1 where there is none. */
static struct tm_num read_id(const struct tm_root *root, const struct place *place,
			     const char *name)
{
	struct place file = below(place, "%s", name);
	struct tm_text text = tm_attr_text(root, file.path);
	struct tm_num num = tm_num_none(text.state);

	if (text.state == TM_KNOWN)
		num = !strncmp(text.value, "-", 1) ? tm_num_none(TM_NOT_PROVIDED) :
						     tm_attr_num(root, file.path);
	tm_text_release(&text);
	return num;
}

static struct tm_text read_text(const struct tm_root *root, const struct place *place,
				const char *name)
{
	struct place file = below(place, "%s", name);

	return tm_attr_text(root, file.path);
}

/* How many numbered folders there are. */
static size_t read_count(const struct tm_root *root, const struct place *place, const char *name)
{
	struct tm_num num = read_num(root, place, name);

	return tm_num_is(&num) ? (size_t)TM_MIN(num.value, (uint64_t)MOST) : 0;
}

/* The control group by which its memory is chosen. */
static struct tm_text read_memcg(const struct tm_root *root, const struct place *scheme)
{
	struct place filters = below(scheme, "filters");
	size_t nr = read_count(root, &filters, "nr_filters");

	for (size_t i = 0; i < nr; i++) {
		struct place filter = below(&filters, "%zu", i);
		struct tm_text type = read_text(root, &filter, "type");
		bool memcg = type.state == TM_KNOWN && !strcmp(type.value, "memcg");

		tm_text_release(&type);
		if (memcg)
			return read_text(root, &filter, "memcg_path");
	}
	return (struct tm_text){ NULL, TM_NOT_PROVIDED };
}

static void read_scheme(const struct tm_root *root, const struct place *place,
			struct tm_damon_scheme *scheme)
{
	struct place quotas = below(place, "quotas"), stats = below(place, "stats");

	scheme->action = read_text(root, place, "action");
	scheme->target = read_id(root, place, "target_nid");
	scheme->quota_bytes = read_num(root, &quotas, "bytes");
	scheme->quota_interval_ms = read_num(root, &quotas, "reset_interval_ms");
	scheme->memcg = read_memcg(root, place);
	scheme->tried_regions = read_num(root, &stats, "nr_tried");
	scheme->tried_bytes = read_num(root, &stats, "sz_tried");
	scheme->applied_regions = read_num(root, &stats, "nr_applied");
	scheme->applied_bytes = read_num(root, &stats, "sz_applied");
	scheme->quota_exceeds = read_num(root, &stats, "qt_exceeds");
}

static int read_schemes(const struct tm_root *root, const struct place *context,
			struct tm_kdamond *kdamond)
{
	struct place schemes = below(context, "schemes");
	size_t nr = read_count(root, &schemes, "nr_schemes");

	for (size_t i = 0; i < nr; i++) {
		struct place place = below(&schemes, "%zu", i);

		if (tm_array_grow(&kdamond->schemes, kdamond->nr_schemes, &kdamond->cap_schemes,
				  sizeof(*kdamond->schemes)))
			return -ENOMEM;
		read_scheme(root, &place, &kdamond->schemes[kdamond->nr_schemes++]);
	}
	return 0;
}

static int read_regions(const struct tm_root *root, const struct place *context,
			struct tm_kdamond *kdamond)
{
	struct place targets = below(context, "targets");

	kdamond->nr_targets = read_count(root, &targets, "nr_targets");
	for (size_t t = 0; t < kdamond->nr_targets; t++) {
		struct place regions = below(&targets, "%zu/regions", t);
		size_t nr = read_count(root, &regions, "nr_regions");

		for (size_t i = 0; i < nr; i++) {
			struct place place = below(&regions, "%zu", i);

			if (tm_array_grow(&kdamond->regions, kdamond->nr_regions,
					  &kdamond->cap_regions, sizeof(*kdamond->regions)))
				return -ENOMEM;
			kdamond->regions[kdamond->nr_regions++] = (struct tm_damon_region){
				read_num(root, &place, "start"),
				read_num(root, &place, "end"),
			};
		}
	}
	return 0;
}

static struct tm_num is_owned(const struct reading *rd, const struct tm_kdamond *kdamond)
{
	if (!rd->owned)
		return tm_num_none(TM_UNKNOWN);
	for (size_t i = 0; i < rd->nr_owned && tm_num_is(&kdamond->pid); i++)
		if (rd->owned[i].id == kdamond->id && rd->owned[i].pid == kdamond->pid.value)
			return tm_num_known(1);
	return tm_num_known(0);
}

static int read_kdamond(const struct reading *rd, int id, struct tm_kdamond *kdamond)
{
	struct place folder = { TM_DAMON_FOLDER };
	struct place place = below(&folder, "%d", id);
	struct place context = below(&place, "contexts/0");
	struct place intervals = below(&context, "monitoring_attrs/intervals");
	int rc;

	kdamond->id = id;
	kdamond->state = read_text(rd->root, &place, "state");
	kdamond->pid = read_id(rd->root, &place, "pid");
	kdamond->ours = is_owned(rd, kdamond);
	kdamond->operations = read_text(rd->root, &context, "operations");
	kdamond->sample_us = read_num(rd->root, &intervals, "sample_us");
	kdamond->aggregation_us = read_num(rd->root, &intervals, "aggr_us");
	kdamond->update_us = read_num(rd->root, &intervals, "update_us");
	rc = read_regions(rd->root, &context, kdamond);
	return rc ? rc : read_schemes(rd->root, &context, kdamond);
}

static const char *find_exclusive(const struct tm_root *root)
{
	static const char *const modules[] = { "damon_reclaim", "damon_lru_sort", "damon_stat" };

	for (size_t i = 0; i < TM_ARRAY_SIZE(modules); i++) {
		char path[TM_PATH_MAX];
		struct tm_text text;
		bool on;

		if (tm_path_format(path, "sys/module/%s/parameters/enabled", modules[i]))
			continue;
		text = tm_attr_text(root, path);
		on = text.state == TM_KNOWN && (text.value[0] == 'Y' || text.value[0] == '1');
		tm_text_release(&text);
		if (on)
			return modules[i];
	}
	return NULL;
}

int tm_damon_read(struct tm_damon *damon, const struct tm_root *root,
		  const struct tm_damon_owned *owned, size_t nr_owned, struct tm_error *err)
{
	struct reading rd = { root, owned, nr_owned };
	struct place folder = { TM_DAMON_FOLDER };
	struct tm_damon read = { 0 };
	size_t nr;
	int rc = 0;

	read.kdamonds = read_num(root, &folder, "nr_kdamonds");
	read.exclusive = find_exclusive(root);
	nr = read_count(root, &folder, "nr_kdamonds");
	for (size_t i = 0; i < nr && !rc; i++) {
		rc = tm_array_grow(&read.list, read.nr, &read.cap, sizeof(*read.list));
		if (!rc)
			rc = read_kdamond(&rd, (int)i, &read.list[read.nr++]);
	}
	if (rc) {
		tm_damon_release(&read);
		return tm_error_nomem(err);
	}
	*damon = read;
	return 0;
}

void tm_damon_release(struct tm_damon *damon)
{
	for (size_t i = 0; i < damon->nr; i++) {
		struct tm_kdamond *kdamond = &damon->list[i];

		for (size_t k = 0; k < kdamond->nr_schemes; k++) {
			tm_text_release(&kdamond->schemes[k].action);
			tm_text_release(&kdamond->schemes[k].memcg);
		}
		tm_text_release(&kdamond->state);
		tm_text_release(&kdamond->operations);
		free(kdamond->schemes);
		free(kdamond->regions);
	}
	free(damon->list);
	*damon = (struct tm_damon){ 0 };
}
