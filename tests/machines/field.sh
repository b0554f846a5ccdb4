# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# To be sourced by tests that read the machines other projects have captured. They are not part
# of this tree: $TIERMEM_FIELD_DATA names the folder that holds machines/*.tar.gz.
#
#	field_available || skip
#	field_unpack "$dir"
#	for name in $(field_names); do ... "$dir/$name" ...; done

field_available()
{
	[ -n "${TIERMEM_FIELD_DATA:-}" ] && [ -d "$TIERMEM_FIELD_DATA/machines" ]
}

field_names()
{
	field_available || return 0
	for field_archive in "$TIERMEM_FIELD_DATA"/machines/*.tar.gz; do
		[ -f "$field_archive" ] || continue
		field_archive=${field_archive##*/}
		echo "${field_archive%.tar.gz}"
	done
}

# Unpacks every archive, or those named after DIR, each into a folder of its name below DIR.
field_unpack()
{
	field_dir=$1
	shift
	# shellcheck disable=SC2046	# the names have no blanks
	[ $# -gt 0 ] || set -- $(field_names)
	for field_name in "$@"; do
		mkdir -p "$field_dir/$field_name" &&
			tar -x -z --no-same-owner -f "$TIERMEM_FIELD_DATA/machines/$field_name.tar.gz" \
				-C "$field_dir/$field_name" || return 1
	done
}
