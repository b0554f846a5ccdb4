#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem policy set` and `preset`: what is taken, what is refused, and that it comes back.
# shellcheck source=tests/cli/policy.sh
. "${BASH_SOURCE[0]%/*}/policy.sh"

fresh tiering
policy set demotion=off numa-balancing=both promote-rate-limit=20G --dry-run
golden policy-set-dry-run
policy set demotion=off numa-balancing=both promote-rate-limit=20G --dry-run --json
keeps 'dry run'
is 'dry run' "$(doc '[.dry_run, .state, [.changes[] | [.from, .to]]]')" \
	'[true,"planned",[["true","false"],["2","3"],["65536","19073"]]]'
untouched 'dry run'
policy set demotion=off numa-balancing=both promote-rate-limit=20G --json
keeps 'set'
is 'set' "$(doc '[.title, .state, [.changes[].state]]')" '["policy set","applied",["done","done","done"]]'
is 'what the files say' "$(now $demotion $balancing $limit)" 'false 3 19073 '
tiermem --root "$root" undo
is 'undo' "$status $(now $demotion $balancing $limit)" '0 true 2 65536 '
is 'all is as it was' "$(sum)" "$before"

# takes SETTING FILE WANTED
takes()
{
	policy set "$1"
	is "set $1" "$status $(now "$2")" "0 $3 "
}
for word in on true yes 1; do takes demotion=$word $demotion true; done
for word in off false no 0; do takes demotion=$word $demotion false; done
takes numa-balancing=off $balancing 0
takes numa-balancing=normal $balancing 1
takes numa-balancing=tiering $balancing 2
takes numa-balancing=3 $balancing 3
takes promote-rate-limit=1Mi $limit 1
takes promote-rate-limit=16777215Mi $limit 16777215
takes hot-threshold=500 $scan/hot_threshold_ms 500
takes scan-delay=0 $scan/scan_delay_ms 0
takes scan-period-min=60000 $scan/scan_period_min_ms 60000
takes scan-size=1Gi $scan/scan_size_mb 1024
takes zone-reclaim-mode=clean proc/sys/vm/zone_reclaim_mode 1
takes zone-reclaim-mode=7 proc/sys/vm/zone_reclaim_mode 7
takes watermark-scale-factor=3000 proc/sys/vm/watermark_scale_factor 3000

fresh tiering
# refuses CODE TEXT ARG...: in our words, and nothing is written
refuses()
{
	local code=$1 text=$2

	shift 2
	policy set "$@"
	says "set $*" "$code" "$text"
	untouched "set $*"
}
refuses 2 "numa-balancing: '4' is no value" numa-balancing=4
refuses 2 'did you mean tiering' numa-balancing=tierng
refuses 2 "promote-rate-limit: '0'" promote-rate-limit=0
refuses 2 "promote-rate-limit: '16Ti'" promote-rate-limit=16Ti
refuses 2 "promote-rate-limit: '100K'" promote-rate-limit=100K
refuses 2 'it takes 1Mi to 16777215Mi' scan-size=0
refuses 2 'more than scan-period-max, 60000 ms.*set both' scan-period-min=60001
refuses 2 'scan-period-min would be 1000 ms, more than scan-period-max, 999 ms' scan-period-max=999
refuses 2 'more than scan-period-max, 4 ms' scan-period-min=5 scan-period-max=4
refuses 2 'watermark-scale-factor' watermark-scale-factor=3001
refuses 2 "zone-reclaim-mode: '8'" zone-reclaim-mode=8
refuses 2 "demotion: 'perhaps'" demotion=perhaps
refuses 2 "demotion: ''" demotion=
refuses 2 'did you mean demotion' demotoin=on
refuses 2 'no such setting' =on
refuses 2 'no such setting' "$(printf 'x%.0s' {1..200})=on"
refuses 2 'not of the form KEY=VALUE' demotion
refuses 2 'demotion: given twice' demotion=on demotion=off
refuses 2 'KEY=VALUE'
policy set numa-balancing=4 --json
keeps 'an error'
is 'an error' "$(doc '[.command, .exit_code]')" '["policy set",2]'
rm -r "$root/sys/kernel/debug/sched"
policy set scan-size=1Gi
says 'without debugfs' 3 'this machine has no /sys/kernel/debug'

# What comes of it is told to who turns it on, and to nobody else.
fresh tiering
policy set numa-balancing=normal
like 'mode 1' "$err" 'warning: promotion: numa-balancing=normal moves pages up without hot threshold'
policy set numa-balancing=off
is 'off' "$err" ''
fresh laptop
policy set demotion=on
says 'no lower tier' 0 'warning: demotion: all memory is in one node'
policy set demotion=on -q
is 'or quietly' "$status $err" '0 '

# A tree that cannot be written, and one that is an archive.
fresh tiering
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
	run unshare -m sh -c "mount --bind '$root' '$root' && mount -o remount,bind,ro '$root' &&
		exec '$TIERMEM' --root '$root' policy set demotion=off numa-balancing=off"
	says 'read-only' 1 'Read-only file system'
	untouched 'read-only'
else
	skip 'read-only' 'no mount namespace may be made'
fi
tar -C "$root" -cf "$tmp/tiering.tar" sys proc
tiermem --root "$tmp/tiering.tar" policy set demotion=off
says 'an archive' 2 'nothing can be written to an archive'
tiermem --root "$tmp/tiering.tar" policy show
exits 0 'an archive can be shown'

# --- preset ---

fresh tiering
policy preset static
golden policy-preset
is 'preset static' "$(now $demotion $balancing)" 'false 0 '
policy preset tiering
is 'preset tiering' "$status $(now $demotion $balancing)" '0 true 2 '
policy preset off --json
keeps 'preset off'
is 'preset off' "$(doc '[.title, .state]') $(now $demotion $balancing)" '["policy preset off","applied"] false 1 '
tiermem --root "$root" undo
is 'undo of it' "$(now $demotion $balancing)" 'true 2 '
policy preset fast
says 'no such preset' 2 "'fast'"
policy preset
exits 2 'which one'
rm "$root/$demotion"
policy preset static
is 'nothing to turn off is as good' "$status $(now $balancing)" '0 0 '
policy preset tiering
says 'but not nothing to turn on' 3 'demotion: this machine has no'
is 'and then nothing is written' "$(now $balancing)" '0 '

# --- completion ---

tiermem complete -- policy set num
like 'completion' "$out" 'numa-balancing=tiering'
tiermem complete -- policy preset ''
is 'presets' "$(cut -f 1 "$out_file" | tr '\n' ' ')" 'tiering static off '

policy_done
