/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables from files: tm_acpi_load_path(). */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/acpi/file.h"
#include "lib/acpi/load.h"
#include "lib/base/compiler.h"
#include "lib/sys/temp.h"

/* Files of a folder that are looked at, and tables that are kept. */
#define FILES_MAX 4096
#define TABLES_MAX 256

/* "hmat.dat", "SRAT", "cdat2.bin": a name that says what its contents should be. */
static bool name_says(const char *path, enum tm_acpi_signature *signature)
{
	static const char *const ends[] = { "", ".dat", ".bin", ".aml" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++) {
		const char *end;

		if (strncasecmp(name, tm_acpi_signature_name((enum tm_acpi_signature)i), 4))
			continue;
		for (end = name + 4; isdigit((unsigned char)*end); end++)
			;
		for (size_t j = 0; j < TM_ARRAY_SIZE(ends); j++) {
			if (strcasecmp(end, ends[j]))
				continue;
			*signature = (enum tm_acpi_signature)i;
			return true;
		}
	}
	return false;
}

/* Adds the table that the bytes are. 1: they are none. */
static int add_bytes(struct tm_acpi *acpi, const char *name, const char *origin,
		     const struct tm_buf *bytes, struct tm_error *err)
{
	enum tm_acpi_signature signature;

	/* A dump begins with a table's signature too. */
	if (tm_acpi_is_dump(tm_buf_str(bytes), bytes->len) ||
	    (!tm_acpi_recognise(tm_buf_str(bytes), bytes->len, &signature) &&
	     !name_says(name, &signature)))
		return 1;
	if (acpi->nr >= TABLES_MAX)
		return tm_error_set(err, E2BIG, "%s: more than %d tables", origin, TABLES_MAX);
	return tm_acpi_add(acpi, signature, origin, tm_buf_str(bytes), bytes->len, err);
}

static void free_names(char **names, size_t nr)
{
	while (nr--)
		free(names[nr]);
	free(names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_names(DIR *dir, char ***names, size_t *nr)
{
	struct dirent *entry;
	size_t cap = 0;

	while (*nr < FILES_MAX && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (tm_array_grow(names, *nr, &cap, sizeof(**names)))
			return -ENOMEM;
		(*names)[*nr] = strdup(entry->d_name);
		if (!(*names)[*nr])
			return -ENOMEM;
		++*nr;
	}
	return 0;
}

/* The folder's names, in order: which table comes first must not depend on the file system. */
static int list(int fd, char ***names, size_t *nr)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	DIR *dir;
	char **all = NULL;
	size_t count = 0;

	if (copy < 0)
		return -errno;
	dir = fdopendir(copy);
	if (!dir) {
		rc = -errno;
		close(copy);
		return rc;
	}
	rc = add_names(dir, &all, &count);
	closedir(dir);
	if (rc) {
		free_names(all, count);
		return rc;
	}
	if (count)
		qsort(all, count, sizeof(*all), by_name);
	*names = all;
	*nr = count;
	return 0;
}

/* `between` stands between the folder's name and the file's in messages. */
static int load_folder(int fd, const char *folder, const char *between, struct tm_acpi *acpi,
		       struct tm_error *err)
{
	struct tm_buf bytes = TM_BUF_INIT, origin = TM_BUF_INIT;
	char **names = NULL;
	size_t nr = 0;
	int rc = list(fd, &names, &nr);

	if (rc)
		return tm_error_errno(err, -rc, "%s", folder);
	for (size_t i = 0; i < nr && rc >= 0; i++) {
		tm_buf_reset(&origin);
		tm_buf_addf(&origin, "%s%s%s", folder, between, names[i]);
		rc = origin.failed ? -ENOMEM :
				     tm_acpi_read_file(fd, names[i], TM_ACPI_TABLE_MAX, &bytes);
		if (rc == -EISDIR || rc == -EINVAL || rc == -EFBIG)
			rc = 0;
		else if (rc)
			rc = tm_error_errno(err, -rc, "%s", tm_buf_str(&origin));
		else
			rc = add_bytes(acpi, names[i], tm_buf_str(&origin), &bytes, err);
	}
	free_names(names, nr);
	tm_buf_release(&bytes);
	tm_buf_release(&origin);
	return TM_MIN(rc, 0);
}

static int load_dump(const char *path, const struct tm_buf *text, struct tm_acpi *acpi,
		     struct tm_error *err)
{
	const char *where = secure_getenv("TMPDIR");
	struct tm_temp temp = { 0 };
	int rc = tm_temp_folder(&temp, where && *where ? where : "/tmp", err);

	if (rc)
		return rc;
	rc = tm_acpi_extract(TM_ACPI_ACPIXTRACT, temp.fd, path, text, err);
	if (!rc)
		rc = load_folder(temp.fd, path, ": ", acpi, err);
	tm_temp_release(&temp);
	return rc;
}

static int load_file(const char *path, struct tm_acpi *acpi, struct tm_error *err)
{
	struct tm_buf bytes = TM_BUF_INIT;
	int rc = tm_acpi_read_file(AT_FDCWD, path, TM_ACPI_TEXT_MAX, &bytes);

	if (rc)
		return tm_error_errno(err, -rc, "%s", path);
	if (tm_acpi_is_dump(tm_buf_str(&bytes), bytes.len)) {
		rc = load_dump(path, &bytes, acpi, err);
	} else if (bytes.len > TM_ACPI_TABLE_MAX) {
		rc = tm_error_errno(err, EFBIG, "%s", path);
	} else {
		rc = add_bytes(acpi, path, path, &bytes, err);
	}
	tm_buf_release(&bytes);
	return TM_MIN(rc, 0);
}

int tm_acpi_load_path(const char *path, struct tm_acpi *acpi, struct tm_error *err)
{
	struct tm_acpi loaded = { 0 };
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++)
		loaded.state[i] = TM_ABSENT;
	if (fd >= 0) {
		rc = load_folder(fd, path, "/", &loaded, err);
		close(fd);
	} else if (errno == ENOTDIR) {
		rc = load_file(path, &loaded, err);
	} else {
		rc = tm_error_errno(err, errno, "%s", path);
	}
	if (!rc && !loaded.nr) {
		rc = tm_error_set(err, ENODATA, "%s: no HMAT, SRAT, SLIT, CEDT or CDAT in it",
				  path);
		tm_error_hint(err,
			      "give a binary table, a folder of these, or what acpidump prints");
	}
	return tm_acpi_finish(&loaded, acpi, rc, err);
}
