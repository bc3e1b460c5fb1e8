#!/bin/sh
# The container recipe follows the rules of dockerfile.awk, and the rules find what breaks them.
# usage: dockerfile.sh SOURCE-DIR
set -eu

rules=$(dirname "$0")/dockerfile.awk
source=$1
recipe=$1/Dockerfile
bad=0

awk -v source="$1" -f "$rules" "$recipe" || bad=1

# breaks WHAT SED-COMMAND: the recipe, changed, must be refused, with this word in the reason.
breaks()
{
	said=$(sed "$2" "$recipe" | awk -v source="$source" -f "$rules") && {
		echo "the rules accept a recipe after: $2"
		bad=1
		return
	}
	case $said in
	*"$1"*) ;;
	*) echo "after $2, the rules say '$said' and not '$1'"; bad=1 ;;
	esac
}

breaks "no tag" 's/^FROM debian:12 /FROM debian /'
breaks "no tag" 's/^FROM debian:12 /FROM debian:latest /'
breaks "no stage" 's/from=build/from=other/'
breaks "unknown instruction" 's/^USER/USR/'
breaks "recommends" 's/--no-install-recommends //'
breaks "without -y" 's/install -y/install/'
breaks "lists" '/rm -rf/d; s/gnuplot-nox.*/gnuplot-nox/'
breaks "update" 's/apt-get update/true/'
breaks "as root" '/^USER/d'
breaks "as root" 's/^USER.*/USER root/'
breaks "JSON" 's/^ENTRYPOINT.*/ENTRYPOINT tide/'
breaks "absolute" 's/^WORKDIR .data/WORKDIR data/'
breaks "not there" 's/^COPY scripts.deps.sh/COPY scripts\/gone.sh/'
breaks "FROM" '/^FROM/d'
exit $bad
