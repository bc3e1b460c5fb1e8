#!/bin/sh
# make demo: every part says something, the page is there, and where tide may not page programs the
# rest goes on.
# usage: demo.sh SOURCE-DIR   (TIDE from the environment)
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

complain()
{
	echo "$1"
	cat "$work/said"
	bad=1
}

# demo SOURCE-DIR TIDE: what it says is in $work/said.
demo()
{
	rm -f "$work/demo.html"
	"$1/scripts/demo.sh" "$2" "$work" 200000 >"$work/said" 2>&1 || complain "the demo fails with $2"
	for text in '^  without tide  *[0-9.]* s' ' + arc  x opt$' '^[*]  opt ' "file://.*$work/demo.html\$"; do
		grep -q -e "$text" "$work/said" || complain "the demo with $2 does not say $text"
	done
	grep -q '</html>' "$work/demo.html" || complain "the demo with $2 leaves no page"
}

demo "$1" "$TIDE"
grep -q -e '^  half of it, clock .* faults$' -e 'cannot page programs here: tide run: ' "$work/said" ||
	complain "nothing is said of a program in half its memory"

# A tide that may not page programs.
cat >"$work/tide" <<END
#!/bin/sh
[ "\$1" = run ] || exec "$TIDE" "\$@"
echo "tide run: userfaultfd is not permitted: ask the administrator" >&2
exit 1
END
chmod +x "$work/tide"
demo "$1" "$work/tide"
grep -q 'cannot page programs here: tide run: userfaultfd is not permitted' "$work/said" ||
	complain "it is not said why no program is paged"
exit $bad
