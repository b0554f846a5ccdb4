# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# bench-fault-*.t: page faults with sizes of pages on and off, what is left of the settings afterwards, and copy on write.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
thp=/sys/kernel/mm/transparent_hugepage

# Every setting of huge pages.
settings()
{
	grep . $thp/enabled $thp/shmem_enabled $thp/hugepages-*/enabled $thp/hugepages-*/shmem_enabled
}

# Called by wait_for.
# shellcheck disable=SC2317
changed()
{
	[ "$(settings)" != "$before" ]
}

as_before()
{
	tap_is "$(settings)" "$before" "$1: the settings are as before"
	tap_is "$(find /run/tiermem -name '*.journal' -a ! -name 'last*' | wc -l)" 0 "$1: no journal is left"
	tap_is "$(pidof tiermem)" "" "$1: no process is left"
}

# Also called by emit_run.
# shellcheck disable=SC2317
fault()
{
	tiermem bench fault --time 0.05 --repeat 2 --threads 2 --size 16M "$@"
}

# ---- 64K off and on

exits 0 "64K is off" tiermem mthp set 64K shmem=never
emit_run off.json fault --shared --json
exits 0 "64K is on" tiermem mthp set 64K shmem=always
emit_run on.json fault --shared --json
emit_run on-base.json fault --shared --base --json
emit_run on-memfd.json fault --memfd --one-mapping --json
exits 0 "64K is off again" tiermem undo

# ---- each size

before=$(settings)
emit_run sizes.json fault --private --shared --memfd --each-size --json
as_before "each size"
mkdir -p /tmp/shm
mount -t tmpfs tmpfs /tmp/shm
exits 0 "other settings" tiermem mthp set top enabled=madvise shmem=advise 64K enabled=madvise shmem=within_size \
	128K enabled=inherit
before=$(settings)
emit_run tmpfs.json fault --shared --tmpfs --tmpfs-dir /tmp/shm --each-size --json
as_before "each size, after other settings"
# The kernel takes it while the PMD size alone inherits.
exits 0 "shmem=force" tiermem mthp set top shmem=force 2M shmem=inherit 64K shmem=never
before=$(settings)
emit_run force.json fault --shared --each-size --json
as_before "each size, after force"

# A process for which the kernel gives none, whatever is set.
emit_run nothp.json nothp /usr/bin/tiermem bench fault --time 0.05 --repeat 1 --threads 1 --size 16M --each-size --json
as_before "without any"
su -s /bin/sh nobody -c 'tiermem bench fault --each-size --size 1M' >/tmp/out 2>/tmp/err
tap_is $? 1 "an ordinary user cannot"
as_before "an ordinary user"

# ---- ends of other kinds

# long ARG...: $bench goes through the sizes for minutes
long()
{
	tiermem bench fault --each-size --size 16M --time 20 "$@" >/tmp/bg.out 2>/tmp/bg.err </dev/null &
	bench=$!
	if wait_for 20 changed; then tap_ok "it changes settings"; else tap_not_ok "it changes settings: $(cat /tmp/bg.err)"; fi
	usleep 500000
}

for signal in INT TERM; do
	long --shared
	kill -$signal $bench
	wait $bench
	tap_is $? 1 "SIG$signal: it exits 1"
	as_before "SIG$signal"
done
long --private
kill -KILL $bench
wait $bench 2>/dev/null
if changed; then tap_ok "SIGKILL leaves settings"; else tap_not_ok "SIGKILL leaves settings"; fi
exits 0 "recover" tiermem recover
as_before "recover"

# ---- copy on write

# shellcheck disable=SC2317
cow()
{
	tiermem bench cow --time 0.05 --repeat 2 --json "$@"
}

emit_run cow-one.json cow --fork --private --threads 1 --size 8M --stat
# An interrupt takes an emulated CPU many milliseconds where the real one is busy.
emit_run cow-two.json cow --fork --private --threads 2 --size 1M --stat
emit_run cow-node.json cow --threads 2 --size 1M --nodes 1
emit_run node.json fault --private --shared --nodes 1 --json
emit_run table fault --shared --each-size
as_before "the end"
exit 0
