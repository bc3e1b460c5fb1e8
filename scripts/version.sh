#!/bin/sh
# Prints the version, which include/tide/tide.h says.
set -eu
sed -n 's/^#define TIDE_VERSION "\(.*\)"$/\1/p' "$(dirname "$0")/../include/tide/tide.h"
