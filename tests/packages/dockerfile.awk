# Rules for a Dockerfile: one line for each that is broken, and then exit status 1.
# usage: awk -f dockerfile.awk Dockerfile   (-v source=FOLDER: COPY's files must be there)

function wrong(what)
{
	print "Dockerfile:" first ": " what
	bad = 1
}

function check_from(    i)
{
	stages++
	user = "root"
	if (words[2] !~ /:/ || words[2] ~ /:latest$/)
		wrong(words[2] " has no tag: name the release")
	for (i = 3; i < n; i++)
		if (toupper(words[i]) == "AS")
			stage[words[i + 1]] = 1
}

# A stage that COPY --from or a mount names must come before.
function check_stage(text)
{
	if (match(text, /from=[a-z0-9-]+/) && !(substr(text, RSTART + 5, RLENGTH - 5) in stage))
		wrong("no stage is called " substr(text, RSTART + 5, RLENGTH - 5))
}

function check_copy(    i, line)
{
	if (source == "" || words[2] ~ /^--/)
		return
	for (i = 2; i < n; i++)
		if (system("test -e '" source "/" words[i] "'") != 0)
			wrong(words[i] " is not there: COPY names files of the sources")
}

function check_run(text)
{
	if (text ~ /sudo /)
		wrong("RUN is root already: leave sudo out")
	if (text !~ /apt-get install/)
		return
	if (text !~ /apt-get update.*apt-get install/)
		wrong("apt-get install needs apt-get update in the same RUN")
	if (text !~ /apt-get install[^&]* -y/)
		wrong("apt-get install without -y waits for an answer")
	if (text !~ /--no-install-recommends/)
		wrong("apt-get install brings what a package recommends: use --no-install-recommends")
	if (text !~ /rm -rf \/var\/lib\/apt\/lists/)
		wrong("the lists of apt-get stay in the layer: remove them in the same RUN")
}

function check(text)
{
	n = split(text, words, /[ \t]+/)
	if (words[1] !~ /^(FROM|ARG|RUN|COPY|WORKDIR|USER|ENTRYPOINT|CMD|ENV|LABEL|EXPOSE|VOLUME)$/)
		wrong("unknown instruction " words[1])
	if (!stages && words[1] !~ /^(FROM|ARG)$/)
		wrong("the first instruction must be FROM")
	check_stage(text)
	if (words[1] == "FROM")
		check_from()
	else if (words[1] == "COPY")
		check_copy()
	else if (words[1] == "RUN")
		check_run(text)
	else if (words[1] == "WORKDIR" && words[2] !~ /^\//)
		wrong("WORKDIR must be absolute")
	else if (words[1] == "USER")
		user = words[2]
	else if (words[1] ~ /^(ENTRYPOINT|CMD)$/ && text !~ /^[A-Z]+ \[".*"\]$/)
		wrong(words[1] " must be a JSON list, so that no shell takes the signals")
}

/^[ \t]*(#|$)/ { next }
{
	if (whole == "")
		first = NR
	whole = whole $0
	if (sub(/\\$/, "", whole)) {
		whole = whole " "
		next
	}
	gsub(/[ \t]+/, " ", whole)
	check(whole)
	whole = ""
}
END {
	if (user == "root")
		wrong("the container would run as root: end with USER")
	exit bad
}
