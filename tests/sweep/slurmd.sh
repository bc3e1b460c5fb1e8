# Sourced by tests of --slurm: a Slurm of four nodes on this machine, which ends with the test.
# shellcheck shell=sh
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

skip()
{
	echo "skipped: $1"
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "slurmd needs root"
[ -n "$(ls -A /sys/fs/cgroup 2>/dev/null)" ] || skip "slurmd needs cgroups, and none are mounted"
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch squeue scancel; do
	command -v $program >/dev/null || skip "no $program: apt-get install slurmctld slurmd slurm-client"
done

nodes=4
daemons=
export SLURM_CONF="$work/slurm/slurm.conf"

# Ports that nobody listens at: Slurm wants to be told. Connections begin at ports above 32768.
free_port()
{
	for port in $(seq $((10000 + $$ % 2200 * 10)) 10 32700); do
		for one in $(seq "$port" $((port + nodes))); do
			grep -qi ":$(printf %04x "$one") " /proc/net/tcp && continue 2
		done
		return
	done
	skip "no free ports"
}

configure()
{
	free_port
	mkdir slurm slurm/state
	cat >"$SLURM_CONF" <<-END
		ClusterName=tide
		SlurmctldHost=localhost(127.0.0.1)
		SlurmctldPort=$port
		AuthType=auth/none
		CredType=cred/none
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$work/slurm/state
		SlurmdSpoolDir=$work/slurm/%n.spool
		SlurmctldPidFile=$work/slurm/slurmctld.pid
		SlurmdPidFile=$work/slurm/%n.pid
		SlurmctldLogFile=$work/slurm/slurmctld.log
		SlurmdLogFile=$work/slurm/%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		JobAcctGatherType=jobacct_gather/none
		SlurmdParameters=config_overrides
		SlurmctldTimeout=5
		SlurmdTimeout=3
		KillWait=1
		MinJobAge=2
		SchedulerParameters=sched_interval=1,batch_sched_delay=0
		NodeName=n[1-$nodes] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=1 State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES State=UP
	END
}

end_jobs()
{
	scancel --quiet --me 2>/dev/null
	for _ in $(seq 50); do
		[ -n "$(squeue --noheader 2>/dev/null)" ] || break
		sleep 0.1
	done
}

# end_slurm: first the jobs, then the daemons. Those that were killed for a test are gone before.
end_slurm()
{
	end_jobs
	# shellcheck disable=SC2086 # one word per daemon
	kill $daemons 2>/dev/null
	wait
}

# start_node NUMBER
start_node()
{
	slurmd -D -N "n$1" >"slurm/n$1.out" 2>&1 &
	daemons="$daemons $!"
	echo $! >"slurm/node.$1"
}

start_slurm()
{
	configure
	trap 'end_slurm; rm -rf "$work"' EXIT
	slurmctld -D >slurm/slurmctld.out 2>&1 &
	daemons=$!
	for i in $(seq $nodes); do
		start_node "$i"
	done
	for _ in $(seq 100); do
		[ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -eq $nodes ] && return
		sleep 0.1
	done
	tail -n 5 slurm/*.out slurm/*.log
	fail "Slurm does not start"
}
