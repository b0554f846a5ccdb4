#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem top --metrics`: promtool finds nothing wrong with it, a real node_exporter serves it from a file, and a real
# Prometheus scrapes that and gives the figures back.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

debian=$(HOME=$(getent passwd "$(id -u)" | cut -d: -f6) tests/cli/top/fetch-prometheus 2>"$tmp/fetch") ||
	skip_all "Prometheus cannot be had: $(tail -n 1 "$tmp/fetch")"
bin=$debian/usr/bin
recording=$top/tests/cli/top/two-tiers.ndjson
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf -- "$tmp"' EXIT

promtool()
{
	run "$bin/promtool" check metrics <"$1"
	is "promtool: $2" "$status $out$err" '0 '
}

tiermem top --metrics
exits 0 'this machine'
cp "$out_file" "$tmp/live"
promtool "$tmp/live" 'this machine'
tiermem top --metrics --replay "$recording"
exits 0 'a recording'
cp "$out_file" "$tmp/recorded"
promtool "$tmp/recorded" 'a recording'
like '64 bits are exact' "$(grep pgdemote_kswapd_total "$tmp/recorded")" $'\ntiermem_vmstat_pgdemote_kswapd_total 18446744073709000000\n'
like 'what is missing is named' "$(cat "$tmp/recorded")" 'source_available\{source="itlb.itlb_flush",reason="unsupported"\} 0'
unlike 'and not 0' "$(cat "$tmp/recorded")" 'tiermem_[a-z_]*itlb[^{]*\{[^}]*\} 0'
mkdir -p "$tmp/empty/proc"
printf 'x\n' >"$tmp/empty/proc/interrupts"
tiermem top --metrics --root "$tmp/empty"
exits 0 'a machine with next to nothing'
cp "$out_file" "$tmp/nothing"
promtool "$tmp/nothing" 'a machine with next to nothing'
like 'tells what it lacks' "$(cat "$tmp/nothing")" 'source="interrupts",reason="malformed"\} 0.*source="vmstat",reason="absent"\} 0'

# ports N: so many that are free
ports()
{
	python3 -c '
import socket
import sys
held = [socket.create_server(("127.0.0.1", 0)) for i in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))' "$1"
}

# get URL: with python, for curl need not be there
get()
{
	python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())' "$1" 2>/dev/null
}

read -r exporter_port prometheus_port <<<"$(ports 2)"
mkdir "$tmp/textfile" "$tmp/tsdb"
cp "$tmp/recorded" "$tmp/textfile/tiermem.prom"
cat >"$tmp/prometheus.yml" <<END
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: tiers
    static_configs:
      - targets: ['127.0.0.1:$exporter_port']
END
"$bin/prometheus-node-exporter" --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$tmp/textfile" --web.listen-address="127.0.0.1:$exporter_port" >"$tmp/exporter.log" 2>&1 &
pids+=($!)
"$bin/prometheus" --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/tsdb" \
	--web.listen-address="127.0.0.1:$prometheus_port" >"$tmp/prometheus.log" 2>&1 &
pids+=($!)

for ((i = 0; i < 100; i++)); do
	served=$(get "http://127.0.0.1:$exporter_port/metrics") && break
	sleep 0.1
done
is 'node_exporter found no fault' "$(grep '^node_textfile_scrape_error' <<<"$served")" 'node_textfile_scrape_error 0'
# It writes numbers its own way.
numbers()
{
	awk '/^tiermem_/ { value = $NF; sub(/ [^ ]*$/, ""); printf "%s %.10g\n", $0, value }' | tr -d '"' |
		sed 's/[{}]//g' | awk '{ split($1, parts, ","); print length(parts), $2 }' | sort | uniq -c
}
is 'node_exporter serves all of it' "$(numbers <<<"$served")" "$(numbers <"$tmp/recorded")"

# query WHAT: its value, as soon as there is one
query()
{
	local i got

	for ((i = 0; i < 150; i++)); do
		got=$(get "http://127.0.0.1:$prometheus_port/api/v1/query?query=$1" | jq -r '.data.result[0].value[1] // empty' 2>/dev/null)
		if [[ -n $got ]]; then
			printf '%s\n' "$got"
			return
		fi
		sleep 0.1
	done
	tail -n 3 "$tmp/prometheus.log" >&2
}
is 'Prometheus has the shootdowns of a CPU' "$(query 'tiermem_tlb_shootdowns_total%7Bcpu%3D%227%22%7D')" \
	"$(sed -n 's/^tiermem_tlb_shootdowns_total{cpu="7"} //p' "$tmp/recorded")"
is 'their sum' "$(query 'sum(tiermem_tlb_shootdowns_total)')" \
	"$(sed -n 's/^tiermem_tlb_shootdowns_total.* //p' "$tmp/recorded" | jq -s add)"
is 'pages promoted to a node' "$(query 'tiermem_node_vmstat_pgpromote_success_total%7Bnode%3D%220%22%7D')" 0
is 'the tier of a node' "$(query 'tiermem_node_tier%7Bnode%3D%222%22%7D')" 22
is 'what could not be read' "$(query 'count(tiermem_source_available%3D%3D0)')" 1

done_testing
