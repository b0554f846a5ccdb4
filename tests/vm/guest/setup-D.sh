# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Machine D: the volatile memory of both expanders behind the switch becomes region0, dax0.0 and, through kmem, node 3.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
cd /sys/bus/cxl/devices || exit

# The switch's port comes with the first of them, and each has a number as it came.
wait_for 20 test -e endpoint3/decoder3.0/mode
wait_for 20 test -e endpoint4/decoder4.0/mode
echo region0 >decoder0.0/create_ram_region
echo 256 >region0/interleave_granularity
echo 2 >region0/interleave_ways
for decoder in endpoint3/decoder3.0 endpoint4/decoder4.0; do
	echo ram >$decoder/mode
	echo 0x10000000 >$decoder/dpa_size
done
echo 0x20000000 >region0/size
if [ "$(cat mem0/serial)" = 0x1 ]; then first=mem0; else first=mem1; fi
if [ "$(basename "$(readlink endpoint3/uport)")" = $first ]; then
	echo decoder3.0 >region0/target0
	echo decoder4.0 >region0/target1
else
	echo decoder4.0 >region0/target0
	echo decoder3.0 >region0/target1
fi
echo 1 >region0/commit
echo region0 >/sys/bus/cxl/drivers/cxl_region/bind
bring_online 3
