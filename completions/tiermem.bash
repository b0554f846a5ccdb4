# bash completion for tiermem                                   -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-only
#
# tiermem itself knows what can follow: see cmd/complete.c for what it prints.

_tiermem()
{
	local line=${COMP_LINE:0:COMP_POINT} rest word reply prefix fallback i
	local words=() starts=() lines=()

	# Readline has cut the line at "=" and ":" too: what stands together in it belongs together.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:space:]]*}"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$rest
		if ((i && ${#rest} == ${#line})); then
			words[-1]+=$word
		else
			words+=("$word")
			starts+=("$i")
		fi
		line=${rest#"$word"}
	done
	mapfile -t lines < <(command "${words[0]/#~\//$HOME/}" complete -- "${words[@]:1}" 2>/dev/null)

	COMPREPLY=()
	case ${lines[0]-} in
	:file*)
		compopt -o default
		;;
	:folder*)
		compopt -o dirnames
		;;
	:command*)
		i=${starts[${lines[0]#*$'\t'} + 1]}
		for fallback in _comp_command_offset _command_offset; do
			declare -F "$fallback" >/dev/null || continue
			"$fallback" "$i"
			return
		done
		compopt -o default
		;;
	*)
		# Readline replaces only what follows the last place where it cut.
		word=${words[-1]}
		prefix=
		for fallback in = :; do
			[[ $COMP_WORDBREAKS == *"$fallback"* && $word == *"$fallback"* ]] || continue
			rest=${word%"$fallback"*}$fallback
			((${#rest} <= ${#prefix})) || prefix=$rest
		done
		for reply in "${lines[@]}"; do
			reply=${reply%%$'\t'*}
			COMPREPLY+=("${reply#"$prefix"}")
		done
		;;
	esac
}

complete -o nosort -F _tiermem tiermem
