# shellcheck shell=bash
# The program itself knows the words: `tide --complete WORDS...` prints those that may stand where
# the last one begins. Where it knows none, file names are offered.

_tide()
{
	local known word words=()
	# bash cuts words at = too; `--evict=lru` completes as `--evict lru` does.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		[[ $word == = ]] || words+=("$word")
	done
	[[ ${COMP_WORDS[COMP_CWORD]} == = ]] && words+=("")
	known=$("$1" --complete "${words[@]}" 2>/dev/null)
	mapfile -t COMPREPLY < <(compgen -W "$known" -- "${words[-1]}")
}

complete -o default -F _tide tide
