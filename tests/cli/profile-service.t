#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make install` puts for the boot and for memory that comes online: the unit, the rule and its program.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# --- places ---

# installed DIR ARG...: what lies below DIR by then
installed()
{
	local folder=$1

	shift
	run make --no-print-directory -s install-service "$@"
	(cd "$folder" 2>/dev/null && find . ! -type d | sort)
}

is 'below DESTDIR and /usr/local' "$(installed "$tmp/dest" DESTDIR="$tmp/dest")" \
	'./usr/local/lib/systemd/system/multi-user.target.wants/tiermem-profile.service
./usr/local/lib/systemd/system/tiermem-hotplug.timer
./usr/local/lib/systemd/system/tiermem-profile.service
./usr/local/lib/tiermem/tiermem-hotplug
./usr/local/lib/udev/rules.d/90-tiermem.rules'
ok 'the folder of the profile is there' test -d "$tmp/dest/etc/tiermem"
is 'DESTDIR is in none of them' "$(grep -rl "$tmp" "$tmp/dest")" ''
is 'nor is a name without a place' "$(grep -rEl '@[A-Z]+@' "$tmp/dest")" ''
is 'PREFIX, UNITDIR, UDEVRULESDIR and LIBDIR' \
	"$(installed "$tmp/usr" DESTDIR="$tmp/usr" PREFIX=/usr UNITDIR=/lib/systemd/system UDEVRULESDIR=/etc/udev/rules.d \
		LIBDIR=/usr/lib64)" \
	'./etc/udev/rules.d/90-tiermem.rules
./lib/systemd/system/multi-user.target.wants/tiermem-profile.service
./lib/systemd/system/tiermem-hotplug.timer
./lib/systemd/system/tiermem-profile.service
./usr/lib64/tiermem/tiermem-hotplug'
is 'the rule knows its program' "$(sed -n 's/.*RUN+="\(.*\)"$/\1/p' "$tmp/usr/etc/udev/rules.d/90-tiermem.rules")" \
	/usr/lib64/tiermem/tiermem-hotplug
is 'the unit knows its program' "$(grep ^ExecStart= "$tmp/usr/lib/systemd/system/tiermem-profile.service")" \
	'ExecStart=/usr/bin/tiermem profile apply --skip-missing --accept /etc/tiermem/profile.json'
is 'it is wanted at boot' "$(readlink "$tmp/usr/lib/systemd/system/multi-user.target.wants/tiermem-profile.service")" \
	../tiermem-profile.service
ok 'make install installs it too' grep -q '^install:.* install-service' Makefile

# --- the unit ---

inst=$tmp/inst
installed "$inst" PREFIX="$inst" SYSCONFDIR="$inst/etc" RUNSTATEDIR="$inst/run" >/dev/null
units=$inst/lib/systemd/system
mkdir -p "$inst/bin" "$inst/run"
cp "$TIERMEM" "$inst/bin/tiermem"
if command -v systemd-analyze >/dev/null; then
	run systemd-analyze verify --man=no "$units/tiermem-profile.service" "$units/tiermem-hotplug.timer"
	is 'systemd-analyze verify' "$status $out$err" '0 '
	sed -i.ok 's/^Type=.*/Type=oneshto/' "$units/tiermem-profile.service"
	run systemd-analyze verify --man=no "$units/tiermem-profile.service"
	like 'it would find a fault' "$out$err" 'oneshto'
	mv "$units/tiermem-profile.service.ok" "$units/tiermem-profile.service"
else
	skip 'systemd-analyze verify' 'no systemd-analyze on this machine'
fi

# Rules are verified by udevadm since release 254.
if udevadm verify --help >/dev/null 2>&1; then
	run udevadm verify "$inst/lib/udev/rules.d/90-tiermem.rules"
	exits 0 'udevadm verify'
fi

# What the unit runs, with what the unit leaves it: on a captured machine, whose files are as writable as /sys is there.
root=$tmp/root
mkdir "$root"
tar -C "$(machine two-tier)" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' -cf - . | tar -C "$root" -xf -
profile=$inst/etc/tiermem/profile.json
printf '{"schema": "tiermem.profile/1", "weights": "best", "policy": {"demotion": "off", "scan-delay": 1}}\n' >"$profile"
read -ra words <<<"$(sed -n 's/^ExecStart=//p' "$units/tiermem-profile.service")"
command=("${words[0]}" --root "$root" "${words[@]:1}")
if systemd-analyze syscall-filter @system-service >"$tmp/filter" 2>/dev/null && [[ $TIERMEM != *san/* ]]; then
	# Sets name sets.
	sets=(@system-service)
	for ((i = 0; i < ${#sets[@]}; i++)); do
		systemd-analyze syscall-filter "${sets[i]}" >"$tmp/one" 2>/dev/null
		sed -n 's/^ *\([a-z0-9_]*\)$/\1/p' "$tmp/one" >>"$tmp/allowed"
		while read -r name; do
			[[ " ${sets[*]} " == *" $name "* ]] || sets+=("$name")
		done < <(sed -n 's/^ \{2,\}\(@[a-z-]*\)$/\1/p' "$tmp/one")
	done
	run traced all "${command[@]}"
	exits 0 'what the unit runs'
	# Those that belong to starting a program at all are allowed besides.
	is 'its system calls are allowed' "$(sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' "$tmp/strace" | sort -u |
		grep -vxF -f "$tmp/allowed" | grep -vx 'access\|arch_prctl')" ''
	ok 'there are such sets' test "$(wc -l <"$tmp/allowed")" -gt 100
	ok 'openat2 among them' grep -qx openat2 "$tmp/allowed"
else
	run "${command[@]}"
	exits 0 'what the unit runs'
	skip 'its system calls are allowed' 'no systemd-analyze, or a build with a sanitizer'
fi
like 'it names what it leaves out' "$err" 'p*rofile\.json: /policy/scan-delay: left out: '
is 'it sets the rest' "$(cat "$root/sys/kernel/mm/mempolicy/weighted_interleave/node0" "$root/sys/kernel/mm/numa/demotion_enabled" |
	tr '\n' ' ')" '9 false '
if [[ $EUID == 0 ]] && command -v setpriv >/dev/null; then
	tiermem --root "$root" undo
	caps=-all
	for cap in $(sed -n 's/^CapabilityBoundingSet=//p' "$units/tiermem-profile.service" | tr '[:upper:]' '[:lower:]'); do
		caps+=,+${cap#cap_}
	done
	run setpriv --bounding-set "$caps" --no-new-privs "${command[@]}"
	exits 0 'with the capabilities that it keeps'
	is 'with the capabilities that it keeps: it sets it' \
		"$(cat "$root/sys/kernel/mm/mempolicy/weighted_interleave/node0")" 9
else
	skip 'with the capabilities that it keeps' 'for root only'
fi

# --- the rule's program: systemctl and the program are stand-ins ---

hotplug=$inst/lib/tiermem/tiermem-hotplug
mkdir "$tmp/path"
calls=$tmp/calls
for name in systemctl logger; do
	printf '#!/bin/sh\necho "%s $*" >>"%s"\n[ %s = systemctl ] || cat >>"%s"\n' "$name" "$calls" "$name" "$tmp/log" >"$tmp/path/$name"
done
printf '#!/bin/sh\necho "tiermem $*" >>"%s"\necho said >&2\n' "$calls" >"$inst/bin/tiermem"
chmod +x "$tmp/path"/* "$inst/bin/tiermem"

# events N: so many
events()
{
	local i

	: >"$calls"
	for ((i = 0; i < $1; i++)); do
		PATH=$tmp/path:$PATH "$hotplug" || fail "event $i"
	done
}

# hotplug N: so many events; then waits until what they started has ended
hotplug()
{
	local i

	events "$1"
	for ((i = 0; i < 300; i++)); do
		grep -q '^tiermem' "$calls" && [[ -z $(find "$inst/run" -name 'tiermem-hotplug.*') ]] && break
		sleep 0.1
	done
}

hotplug 60
like 'many events, few runs' "$(grep -c '^tiermem' "$calls")" '^[1-9]$'
is 'what is run' "$(grep '^tiermem' "$calls" | sort -u)" "tiermem profile apply --skip-missing --accept $profile"
like 'the log has what it says' "$(cat "$calls" "$tmp/log")" 'logger -t tiermem-hotplug.*said'
hotplug 1
is 'one event, one run' "$(grep -c '^tiermem' "$calls")" 1
# One was killed while it waited.
mkdir "$inst/run/tiermem-hotplug.waiting"
touch -d '10 minutes ago' "$inst/run/tiermem-hotplug.waiting"
hotplug 1
is 'a killed one is not waited for' "$(grep -c '^tiermem' "$calls")" 1
mkdir -p "$inst/run/systemd/system"
timer='systemctl --no-block restart tiermem-hotplug.timer'
events 3
is 'where systemd runs, its timer, once' "$(cat "$calls")" "$timer"
# shellcheck disable=SC2046 # as systemd splits it
run $(sed -n 's/^ExecStartPre=+//p' "$units/tiermem-profile.service")
exits 0 'the service begins'
events 2
is 'what comes online from then on starts it again' "$(cat "$calls")" "$timer"
run $(sed -n 's/^ExecStartPre=+//p' "$units/tiermem-profile.service")
run $(sed -n 's/^ExecStartPre=+//p' "$units/tiermem-profile.service")
exits 0 'a service that nobody waits for'
rm "$profile"
events 3
is 'without a profile nothing is run' "$(cat "$calls")" ''

done_testing
