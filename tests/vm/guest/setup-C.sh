# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Machine C: the expander's persistent memory becomes a region, a devdax namespace and, by daxctl, node 2.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
cd /sys/bus/cxl/devices || exit

wait_for 20 test -e endpoint2/decoder2.0/mode
echo region0 >decoder0.0/create_pmem_region
echo 7c2a1d8e-5b3f-4f0a-9d61-0c54e2b8a913 >region0/uuid
echo 256 >region0/interleave_granularity
echo 1 >region0/interleave_ways
echo pmem >endpoint2/decoder2.0/mode
echo 0x10000000 >endpoint2/decoder2.0/dpa_size
echo 0x10000000 >region0/size
echo decoder2.0 >region0/target0
echo 1 >region0/commit
echo region0 >/sys/bus/cxl/drivers/cxl_region/bind

wait_for 10 test -e /sys/bus/nd/devices/region0
ndctl create-namespace -m devdax -f -r 0
wait_for 10 test -e /sys/bus/dax/devices/dax0.0
daxctl reconfigure-device -m system-ram dax0.0 -f -N
bring_online 2
