# shellcheck shell=bash
# The program itself knows the words: `tide --complete WORDS...` prints those that may stand where
# the last one begins. Where it knows none, file names are offered.

_tide()
{
	local known last word words=()
	# bash cuts words at = and : too, and replaces only what follows the last of them.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [[ ${#words[@]} -gt 0 && ($word == [:=] || ${words[-1]} == *[:=]) ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	last=${words[-1]}
	known=$("$1" --complete "${words[@]}" 2>/dev/null)
	mapfile -t COMPREPLY < <(compgen -W "$known" -- "$last")
	COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[:=]}"}"}")
	if [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace 2>/dev/null || : # only while bash completes
	fi
}

complete -o default -F _tide tide
