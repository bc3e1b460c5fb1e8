# The tables and verdicts of cost.sh, and its JSON lines, from the runs on standard input:
#   ROLE NAME WORKLOAD NEAR ACCESSES HITS FAULTS NOTICES SECONDS FULL     timed, 10 fields
#   ROLE NAME WORKLOAD NEAR INSTRUCTIONS ACCESSES HITS FAULTS NOTICES     counted, 9 fields

function log2(x) { return log(x) / log(2) }

function power(n,    e)
{
	for (e = 0; n % 10 == 0; e++)
		n /= 10
	return n == 1 ? "10^" e : n * 10 ^ e
}

function baseline(who) { return who ~ /^prefetch / ? "prefetch none" : "evict fifo" }

function said(ok) { return ok ? "yes" : "NO" }

# A number, or a line where there is none.
function shown(format, width, x)
{
	return x == "" ? sprintf("%" width "s", "-") : sprintf(format, x)
}

# a / b, or "" where one of them is missing or where the clock saw no time in b.
function ratio(a, b)
{
	return a == "" || b == "" || b == 0 ? "" : a / b
}

# The time per access beside the baseline's.
function times(who, w, n)
{
	return ratio(ns[who, w, n], ns[baseline(who), w, n])
}

# What the time per access was multiplied by between two sizes.
function growth(who, w, a, b)
{
	return ratio(ns[who, w, b], ns[who, w, a])
}

# Faults and notices are what policies work for. Where there are hardly any, accesses are.
function by_access(who, w)
{
	return events[who, w, counted_from] < accesses[who, w, counted_from] / 50 ||
		events[who, w, counted_to] < accesses[who, w, counted_to] / 50
}

# Instructions per fault or notice: what the other accesses leave.
function cost(who, w, n,    hit, of)
{
	if (instructions[who, w, n] == "" || instructions[who, "hits", n] == "" ||
	    instructions[baseline(who), "hits", n] == "")
		return ""
	if (by_access(who, w))
		return instructions[who, w, n] / accesses[who, w, n]
	of = events[who, "hits", n] ? baseline(who) : who
	hit = instructions[of, "hits", n] / accesses[of, "hits", n]
	return (instructions[who, w, n] - (accesses[who, w, n] - events[who, w, n]) * hit) / \
		events[who, w, n]
}

NF == 10 {
	who = $1 " " $2
	if (!(who in seen)) {
		seen[who] = 1
		name[++policies] = who
	}
	if (!((who, $3, $4) in ns) || $9 * 1e9 / $5 < ns[who, $3, $4])
		ns[who, $3, $4] = $9 * 1e9 / $5
	share[who, $3, $4] = $7 / $5
	full[who, $3, $4] = $10
}
NF == 9 {
	who = $1 " " $2
	instructions[who, $3, $4] = $5
	accesses[who, $3, $4] = $6
	events[who, $3, $4] = $8 + $9
}

function heading(who,    w)
{
	split(who, w, " ")
	if (w[1] != role)
		print w[1]
	role = w[1]
	return w[2]
}

function print_times(w,    i, j, who, n)
{
	printf "\n%-16s", w
	for (j = 1; j <= size_n; j++)
		printf " %20s ", power(size[j])
	printf "\n%-16s", "policy"
	for (j = 1; j <= size_n; j++)
		printf " %6s %6s %6s ", "ns", "x", "fault"
	print ""
	role = ""
	for (i = 1; i <= policies; i++) {
		who = name[i]
		printf "  %-14s", heading(who)
		for (j = 1; j <= size_n; j++) {
			n = size[j]
			printf " %s %s %s%s", shown("%6.1f", 6, ns[who, w, n]),
				shown("%5.2fx", 6, times(who, w, n)),
				shown("%6.0f", 6, share[who, w, n] > 0 ? ns[who, w, n] / share[who, w, n] : ""),
				full[who, w, n] == "0" ? "~" : " "
			record_time(who, w, n)
		}
		print ""
	}
}

function record_time(who, w, n,    part)
{
	if (ns[who, w, n] == "")
		return
	split(who, part, " ")
	printf "{\"bench\": \"cost\", \"workload\": \"%s\", \"role\": \"%s\", \"policy\": \"%s\", " \
		"\"near_pages\": %d, \"ns_per_access\": %.2f, \"relative\": %s, " \
		"\"faults_per_access\": %.6f, \"full\": %s}\n", w, part[1], part[2], n,
		ns[who, w, n], times(who, w, n) == "" ? "null" : sprintf("%.3f", times(who, w, n)), share[who, w, n],
		full[who, w, n] ? "true" : "false" >>results
}

# The verdict of one policy on one workload: by instructions, or by time beside the baseline's.
function verdict(who, w,    first, last, grown, allowed, by)
{
	first = cost(who, w, counted_from)
	last = cost(who, w, counted_to)
	by = by_access(who, w) ? "instructions per access" : "instructions"
	grown = ratio(last, first)
	allowed = log2(counted_to) / log2(counted_from)
	if (grown == "" && any_counted)
		return ""
	if (grown == "") {
		by = "time"
		grown = ratio(growth(who, w, size[1], size[size_n]),
			growth(baseline(who), w, size[1], size[size_n]))
		allowed = log2(size[size_n]) / log2(size[1])
		if (grown == "")
			return ""
	}
	judged++
	record_verdict(who, w, by, grown, allowed, first, last)
	if (grown > allowed)
		faster = faster sprintf(" %s (%s)", who, w)
	return sprintf("%6.2fx  %s%s", grown, said(grown <= allowed),
		by == "instructions" ? "" : ", by " by)
}

function record_verdict(who, w, by, grown, allowed, first, last,    part)
{
	split(who, part, " ")
	printf "{\"bench\": \"cost-growth\", \"workload\": \"%s\", \"role\": \"%s\", " \
		"\"policy\": \"%s\", \"by\": \"%s\", \"first\": %.1f, \"last\": %.1f, " \
		"\"growth\": %.3f, \"log_n\": %.3f, \"met\": %s}\n", w, part[1], part[2], by,
		first, last, grown, allowed, grown <= allowed ? "true" : "false" >>results
}

function print_growth(w,    i, j, who, total, base)
{
	printf "\n%-16s growth of ns per access, and of instructions per fault or notice\n", w
	printf "%-16s", "policy"
	for (j = 2; j <= size_n; j++)
		printf " to %-5s", power(size[j])
	printf "%9s  %8s %8s %7s  no faster than log n (%.2fx)\n", "by fifo's", power(counted_from),
		power(counted_to), "growth", log2(counted_to) / log2(counted_from)
	role = ""
	for (i = 1; i <= policies; i++) {
		who = name[i]
		printf "  %-14s", heading(who)
		for (j = 2; j <= size_n; j++)
			printf " %s ", shown("%6.2fx", 7, growth(who, w, size[j - 1], size[j]))
		total = growth(who, w, size[1], size[size_n])
		base = growth(baseline(who), w, size[1], size[size_n])
		printf "%s  %s %s %s\n", shown("%8.2fx", 9, ratio(total, base)),
			shown("%8.1f", 8, cost(who, w, counted_from)),
			shown("%8.1f", 8, cost(who, w, counted_to)), verdict(who, w)
	}
}

function print_leu(    z, c)
{
	z = times("evict leu", "zipf", leu_near)
	c = times("evict leu", "cyclic", leu_near)
	if (z == "" || c == "")
		printf "leu at %s: not measured\n", power(leu_near)
	else
		printf "leu at %s: %.2fx fifo's time per access on zipf, %.2fx on cyclic; at most " \
			"%dx: %s\n", power(leu_near), z, c, leu_most,
			z <= leu_most && c <= leu_most ? "met" : "NOT met"
}

END {
	size_n = split(sizes, size, " ")
	k = split(counted_sizes, c, " ")
	counted_from = c[1]
	counted_to = c[k]
	for (i in instructions)
		any_counted = 1
	print_times("zipf")
	print_times("cyclic")
	print_growth("zipf")
	print_growth("cyclic")
	print ""
	printf "faster than log n, of %d judged by %s:%s\n", judged, any_counted ? "instructions" : \
		"time, as valgrind is missing", faster ? faster : " none"
	print_leu()
}
