#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem policy usage` on captured processes and control groups.
# shellcheck source=tests/cli/policy.sh
. "${BASH_SOURCE[0]%/*}/policy.sh"

fresh tiering
policy usage
golden policy-usage
policy usage --json
keeps 'usage --json'
is 'who lives in far memory' "$(doc '[.processes[] | [.pid, .name, .far_bytes]], [.processes_read, .processes_denied]')" \
	'[[1311,"java",25769803776],[1200,"postgres",8589934592],[811,"sshd",0]]'$'\n''[3,1]'
is 'by tier' "$(doc '[.tiers[] | [.id, .top, .resident_bytes]]')" '[[4,true,25880391680],[79,false,34359738368]]'
policy usage --top 1
like 'only the first' "$out" 'and 2 more: --top 0 shows all'
policy usage --top 0 --raw
is 'bare rows: the processes only' "$(wc -l <"$out_file")" 4
policy usage 1200
golden policy-usage-pid
policy usage 1200 --json
keeps 'usage of one --json'
is 'one process' "$(doc '[.scope, .processes[0].nodes]')" \
	'["process",{"0":8597676032,"1":8690597888,"2":8589934592}]'
policy usage --cgroup system.slice/postgresql.service
golden policy-usage-cgroup
policy usage --cgroup /sys/fs/cgroup/system.slice//postgresql.service/ --json
keeps 'usage of a group --json'
is 'of a group' "$(doc '[.scope, .far_bytes, [.nodes[].kernel_bytes]]')" '["cgroup",8589934592,[54132736,18677760,0,0]]'
policy usage --cgroup /
is 'the root group' "$status" 0
policy usage --cgroup system.slice/no-memory.service
says 'a group without the controller' 3 'the memory controller is not on'
policy usage --cgroup nobody.slice
says 'no such group' 1 'there is no such control group'
policy usage --cgroup system.slice/../../proc
says 'a group outside' 2 'no path of a control group'
policy usage 4242
says 'no such process' 1 'there is no process 4242'
policy usage 900
says 'a process that may not be looked at' 1 'Permission denied.*only root'
policy usage 2
is 'a kernel thread' "$status" 0
policy usage 0
says 'no process id' 2 "'0'"
policy usage x1
exits 2 'no number'
policy usage 811 --cgroup a
says 'both' 2 'not together with'
policy usage 811 --top 3
says 'one has no order' 2 'only where all processes'
# Between listing and reading a process may end, or the file be cut.
rm -r "$root/proc/811/numa_maps"
printf 'nonsense\n7f00 default anon=1 N2=1 kernelpagesize_kB=4\n' >"$root/proc/1200/numa_maps"
policy usage --json
is 'what is gone, or not understood' "$(doc '[.processes[] | [.pid, .resident_bytes]]')" '[[1311,34359775232],[1200,4096]]'
like 'is said' "$err" 'left out: 1'
find "$root/proc" -name numa_maps -delete
policy usage
says 'a kernel without NUMA' 3 'no NUMA support'
policy usage 1200
says 'the same for one' 3 'no NUMA support'
rm "$root/sys/fs/cgroup/cgroup.controllers" "$root/sys/fs/cgroup/memory.numa_stat"
policy usage --cgroup /
says 'control groups of version 1' 3 'no control groups of version 2'
fresh two-tier
policy usage
says 'a tree without processes' 1 'no processes'
fresh tiering
rm -r "$root/sys/devices/virtual/memory_tiering"
policy usage --json
keeps 'without tiers'
is 'without tiers nobody is far' "$(doc '[.far_bytes, .tiers, .processes[0].far_bytes]')" '[null,null,null]'

policy_done
