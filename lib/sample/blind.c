/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sample/blind.h"

#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/base/compiler.h"
#include "lib/sample/file.h"
#include "lib/sys/attr.h"

enum { EAX, EBX, ECX, EDX };

#define FIRST_HYPERVISOR 0x40000000u
#define LAST_HYPERVISOR 0x40010000u

static const struct {
	const char *name, *explain;
} words[TM_BLINDS] = {
	[TM_BLIND_NOT] = { "no", NULL },
	[TM_BLIND_KVM] = { "kvm", "KVM flushes CPUs that it has not scheduled by itself" },
	[TM_BLIND_HYPERV] = { "hyperv", "Hyper-V flushes other CPUs by itself" },
	[TM_BLIND_XEN] = { "xen", "Xen flushes other CPUs by itself" },
	[TM_BLIND_INVLPGB] = { "invlpgb", "INVLPGB flushes other CPUs without interrupts" },
};

const char *tm_blind_name(enum tm_blind blind)
{
	return words[blind].name;
}

const char *tm_blind_explain(enum tm_blind blind)
{
	return words[blind].explain;
}

bool tm_cpuid_system(void *context, uint32_t leaf, uint32_t registers[4])
{
	(void)context;
#if defined(__x86_64__) || defined(__i386__)
	__cpuid_count(leaf, 0, registers[EAX], registers[EBX], registers[ECX], registers[EDX]);
	return true;
#else
	(void)leaf;
	(void)registers;
	return false;
#endif
}

/* Where a hypervisor's leaves begin; 0: there is none of that signature. */
static uint32_t find_hypervisor(tm_cpuid cpuid, void *context, const char signature[12])
{
	uint32_t r[4];

	if (!cpuid(context, 1, r) || !(r[ECX] & 1u << 31))
		return 0;
	for (uint32_t leaf = FIRST_HYPERVISOR; leaf < LAST_HYPERVISOR; leaf += 0x100)
		if (cpuid(context, leaf, r) && !memcmp(&r[EBX], signature, 12))
			return leaf;
	return 0;
}

/* The kernel wants all of this before it uses KVM's way. */
static bool is_kvm(tm_cpuid cpuid, void *context, size_t cpus)
{
	uint32_t first = find_hypervisor(cpuid, context, "KVMKVMKVM\0\0\0");
	const uint32_t steal_time = 1u << 5, flush = 1u << 9, realtime = 1u << 0, mwait = 1u << 3;
	uint32_t features[4], basic[4];

	if (!first || cpus == 1 || !cpuid(context, first + 1, features) ||
	    !cpuid(context, 1, basic))
		return false;
	return (features[EAX] & flush) && (features[EAX] & steal_time) &&
	       !(features[EDX] & realtime) && !(basic[ECX] & mwait);
}

static bool is_hyperv(tm_cpuid cpuid, void *context)
{
	uint32_t first = find_hypervisor(cpuid, context, "Microsoft Hv"), hints[4];

	/* "Recommend using hypercall for remote TLB flushes" */
	return first == FIRST_HYPERVISOR && cpuid(context, first + 4, hints) &&
	       hints[EAX] & 1u << 2;
}

static bool is_xen(const struct tm_root *root)
{
	struct tm_text type = tm_attr_text(root, "sys/hypervisor/type");
	struct tm_text guest = tm_attr_text(root, "sys/hypervisor/guest_type");
	bool is = type.state == TM_KNOWN && guest.state == TM_KNOWN && !strcmp(type.value, "xen") &&
		  !strcmp(guest.value, "PV");

	tm_text_release(&type);
	tm_text_release(&guest);
	return is;
}

/* The kernel shows the flag since it uses the instruction. Of all CPUs' lines the first will do. */
static bool has_invlpgb(const struct tm_root *root)
{
	struct tm_file file;
	bool has = false;
	char *flags, *end;

	tm_file_open(&file, root, "proc/cpuinfo");
	if (tm_file_next(&file, 0, 0) > 0) {
		flags = strstr(file.data, "\nflags");
		end = flags ? strchr(flags + 1, '\n') : NULL;
		if (end)
			*end = '\0';
		for (char *word = flags ? strstr(flags, " invlpgb") : NULL; word && !has;
		     word = strstr(word + 1, " invlpgb"))
			has = !word[strlen(" invlpgb")] || word[strlen(" invlpgb")] == ' ';
	}
	tm_file_close(&file);
	return has;
}

struct tm_num tm_blind_read(const struct tm_root *root, tm_cpuid cpuid, void *context, size_t cpus)
{
	if (is_xen(root))
		return tm_num_known(TM_BLIND_XEN);
	if (has_invlpgb(root))
		return tm_num_known(TM_BLIND_INVLPGB);
	if (!root->live)
		return tm_num_none(TM_UNKNOWN);
	if (is_kvm(cpuid, context, cpus))
		return tm_num_known(TM_BLIND_KVM);
	return tm_num_known(is_hyperv(cpuid, context) ? TM_BLIND_HYPERV : TM_BLIND_NOT);
}
