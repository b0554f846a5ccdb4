/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/numa.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <numa.h>
#include <numaif.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIBRARY "libnuma.so.1"

/* Beyond any kernel's number of nodes: a smaller mask than the kernel's own is refused. */
#define MASK_BITS 4096

/* What get_mempolicy() adds to the mode. */
#define MODE_FLAGS 0xe000

const char *tm_policy_name(unsigned policy)
{
	static const char *const names[TM_NR_POLICIES] = {
		[TM_POLICY_DEFAULT] = "default",
		[TM_POLICY_PREFERRED] = "preferred",
		[TM_POLICY_BIND] = "bind",
		[TM_POLICY_INTERLEAVE] = "interleave",
		[TM_POLICY_LOCAL] = "local",
		[TM_POLICY_PREFERRED_MANY] = "preferred-many",
		[TM_POLICY_WEIGHTED_INTERLEAVE] = "weighted-interleave",
	};

	return policy < TM_NR_POLICIES ? names[policy] : NULL;
}

static bool load(void *handle, const char *name, void *to)
{
	return (*(void **)to = dlsym(handle, name));
}

int tm_numa_load(struct tm_numa *numa, struct tm_error *err)
{
	struct tm_numa n = { .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) };

	if (n.handle && load(n.handle, "set_mempolicy", &n.set_mempolicy) &&
	    load(n.handle, "get_mempolicy", &n.get_mempolicy) &&
	    load(n.handle, "mbind", &n.mbind) && load(n.handle, "move_pages", &n.move_pages) &&
	    load(n.handle, "numa_bitmask_alloc", &n.mask_new) &&
	    load(n.handle, "numa_bitmask_setbit", &n.mask_set) &&
	    load(n.handle, "numa_bitmask_isbitset", &n.mask_has) &&
	    load(n.handle, "numa_bitmask_free", &n.mask_free)) {
		*numa = n;
		return 0;
	}
	tm_error_set(err, ENOSYS, "memory policies need %s, which cannot be loaded", LIBRARY);
	tm_error_hint(err, "install it: apt-get install libnuma1");
	tm_numa_unload(&n);
	return -ENOSYS;
}

void tm_numa_unload(struct tm_numa *numa)
{
	if (numa->handle)
		dlclose(numa->handle);
	numa->handle = NULL;
}

/* NULL in *mask for no nodes. 0, -ENOMEM, or -ERANGE for an id that no kernel has. */
static int make_mask(const struct tm_numa *numa, const struct tm_idset *nodes,
		     struct bitmask **mask)
{
	*mask = NULL;
	if (!nodes || tm_idset_empty(nodes))
		return 0;
	if (tm_idset_next(nodes, MASK_BITS) >= 0)
		return -ERANGE;
	*mask = numa->mask_new(MASK_BITS);
	if (!*mask)
		return -ENOMEM;
	tm_idset_for_each(id, nodes)
		numa->mask_set(*mask, (unsigned)id);
	return 0;
}

/* The kernel takes one bit fewer than it is told. */
static unsigned long max_node(const struct bitmask *mask)
{
	return mask ? mask->size + 1 : 0;
}

int tm_numa_set_policy(const struct tm_numa *numa, enum tm_policy policy,
		       const struct tm_idset *nodes)
{
	struct bitmask *mask;
	int rc = make_mask(numa, nodes, &mask);

	if (!rc && numa->set_mempolicy((int)policy, mask ? mask->maskp : NULL, max_node(mask)))
		rc = -errno;
	if (mask)
		numa->mask_free(mask);
	return rc;
}

int tm_numa_set_range(const struct tm_numa *numa, void *start, size_t bytes, enum tm_policy policy,
		      const struct tm_idset *nodes)
{
	struct bitmask *mask;
	int rc = make_mask(numa, nodes, &mask);

	if (!rc &&
	    numa->mbind(start, bytes, (int)policy, mask ? mask->maskp : NULL, max_node(mask), 0))
		rc = -errno;
	if (mask)
		numa->mask_free(mask);
	return rc;
}

int tm_numa_try_policy(const struct tm_numa *numa, enum tm_policy policy,
		       const struct tm_idset *nodes)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int rc;

	if (page == MAP_FAILED)
		return -errno;
	rc = tm_numa_set_range(numa, page, size, policy, nodes);
	munmap(page, size);
	return rc;
}

int tm_numa_get_policy(const struct tm_numa *numa, const void *address, unsigned *policy,
		       struct tm_idset *nodes)
{
	struct bitmask *mask = numa->mask_new(MASK_BITS);
	struct tm_idset found = TM_IDSET_INIT;
	int mode, rc = 0;

	if (!mask)
		return -ENOMEM;
	if (numa->get_mempolicy(&mode, mask->maskp, max_node(mask), (void *)address,
				address ? MPOL_F_ADDR : 0))
		rc = -errno;
	for (unsigned id = 0; !rc && id < MASK_BITS; id++)
		if (numa->mask_has(mask, id))
			rc = tm_idset_add(&found, id);
	numa->mask_free(mask);
	if (rc) {
		tm_idset_release(&found);
		return rc;
	}
	tm_idset_release(nodes);
	*nodes = found;
	*policy = (unsigned)mode & ~(unsigned)MODE_FLAGS;
	return 0;
}

int tm_numa_find_pages(const struct tm_numa *numa, pid_t pid, size_t count, void **pages,
		       int *nodes)
{
	/* Without nodes to move to, it only tells where they are. */
	return numa->move_pages(pid, count, pages, NULL, nodes, 0) ? -errno : 0;
}

long tm_numa_move_pages(const struct tm_numa *numa, pid_t pid, size_t count, void **pages,
			const int *nodes, int *status, bool shared)
{
	long rc = numa->move_pages(pid, count, pages, nodes, status,
				   shared ? MPOL_MF_MOVE_ALL : MPOL_MF_MOVE);

	return rc < 0 ? -errno : rc;
}
