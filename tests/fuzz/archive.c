/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as an archive: unpacking fails or stays within its limits and its folder, and what it
 * made is folders, files and links that lead nowhere else.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/archive.h"
#include "tests/fuzz/fuzz.h"

#define FILE_MAX 4096
#define TOTAL_MAX 16384
#define ENTRIES_MAX 64

static char outer[300]; /* holds one folder, to which is unpacked */
static size_t nr_entries, nr_bytes, inner_length;

static int check_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char target[TM_PATH_MAX];
	ssize_t len;

	(void)ftw;
	nr_entries++;
	CHECK(type != FTW_NS);
	CHECK(S_ISDIR(st->st_mode) || S_ISREG(st->st_mode) || S_ISLNK(st->st_mode));
	CHECK(!(st->st_mode & 07000));
	CHECK(strlen(path) <= inner_length || !tm_entry_path_fault(path + inner_length + 1));
	if (S_ISREG(st->st_mode)) {
		CHECK(st->st_size <= FILE_MAX && st->st_nlink == 1);
		nr_bytes += (size_t)st->st_size;
	}
	if (S_ISLNK(st->st_mode)) {
		len = readlink(path, target, sizeof(target) - 1);
		CHECK(len > 0);
		target[len] = '\0';
		CHECK(!tm_entry_link_fault(path + inner_length + 1, target));
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	/* A folder that was made unreadable, and is then looked into by who is not root. */
	if (type == FTW_DNR) {
		chmod(path, 0700);
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
	remove(path);
	return 0;
}

static void remove_outer(void)
{
	nftw(outer, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_outer(void)
{
	const char *temp = getenv("TMPDIR");

	snprintf(outer, sizeof(outer), "%.256s/tiermem-fuzz.XXXXXX",
		 temp			  ? temp :
		 access("/dev/shm", W_OK) ? "/tmp" :
					    "/dev/shm");
	CHECK(mkdtemp(outer));
	atexit(remove_outer);
	/* Stays, so that it is not loaded anew for each input. */
	dlopen("libarchive.so.13", RTLD_NOW);
}

static int count_names(const char *folder)
{
	DIR *dir = opendir(folder);
	int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* Of libFuzzer; not there when the corpus is replayed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Headers get their checksum, else nearly every mutation would end there. POSIX ustar, 4.4. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	(void)seed;
	size = LLVMFuzzerMutate(data, size, max);
	for (size_t at = 0; at + 512 <= size; at += 512) {
		unsigned sum = 0;
		char text[8];

		if (memcmp(data + at + 257, "ustar", 5))
			continue;
		memset(data + at + 148, ' ', 8);
		for (size_t i = 0; i < 512; i++)
			sum += data[at + i];
		snprintf(text, sizeof(text), "%06o", sum & 0777777);
		memcpy(data + at + 148, text, 7);
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tm_archive_limits limits = { ENTRIES_MAX, FILE_MAX, TOTAL_MAX };
	struct tm_error err = { 0 };
	char inner[sizeof(outer) + 2];
	int fd = memfd_create("input", MFD_CLOEXEC), folder_fd, rc;

	if (!*outer)
		make_outer();
	snprintf(inner, sizeof(inner), "%s/x", outer);
	inner_length = strlen(inner);
	CHECK(!mkdir(inner, 0700));
	folder_fd = open(inner, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(fd >= 0 && folder_fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	rc = tm_archive_unpack(fd, "input", folder_fd, &limits, &err);
	close(folder_fd);
	close(fd);
	CHECK(rc <= 0 && (rc == 0) == (err.text[0] == '\0'));
	nr_entries = nr_bytes = 0;
	nftw(inner, check_one, 16, FTW_PHYS);
	/* Folders that have no entry of their own are bounded by the depth of each that has. */
	CHECK(nr_entries <= ENTRIES_MAX * (TM_SNAPSHOT_DEPTH + 1));
	CHECK(nr_bytes <= TOTAL_MAX);
	CHECK(count_names(outer) == 3);
	nftw(inner, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(access(inner, F_OK));
	return 0;
}
