# Puts the rows of a list into a manual page, where a line says @NAME.def@, or @ROOM/NAME.def@ for one
# of src/ROOM: its names, and what each counts. usage: awk -v lists=FOLDER -f lists.awk PAGE
/^@[a-z_\/]+\.def@$/ {
	list = lists "/" (/\// ? "../../src/" : "") substr($0, 2, length($0) - 2)
	while ((getline row < list) > 0)
		if (sub(/^T(IDE|D_GPU|D_KERNEL)_[A-Z]+\(/, "", row)) {
			name = help = row
			sub(/,.*/, "", name)
			sub(/^[^"]*"/, "", help)
			sub(/"\)$/, "", help)
			print "|  " name
			print ":  " help
		}
	close(list)
	next
}
{ print }
