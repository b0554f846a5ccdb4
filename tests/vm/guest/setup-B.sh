# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Machine B: the expander's volatile memory becomes region0, dax0.0 and, through kmem, node 3.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
cd /sys/bus/cxl/devices || exit

wait_for 20 test -e endpoint2/decoder2.0/mode
echo region0 >decoder0.0/create_ram_region
echo 256 >region0/interleave_granularity
echo 1 >region0/interleave_ways
echo ram >endpoint2/decoder2.0/mode
echo 0x10000000 >endpoint2/decoder2.0/dpa_size
echo 0x10000000 >region0/size
echo decoder2.0 >region0/target0
echo 1 >region0/commit
echo region0 >/sys/bus/cxl/drivers/cxl_region/bind
bring_online 3
