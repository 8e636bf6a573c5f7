#!/usr/bin/env bash
# Run a command and say how long it took:  scripts/timed.sh NAME COMMAND...
set -uo pipefail
name=$1
shift
echo "── $name"
begin=$(date +%s)
"$@"
status=$?
outcome=passed
[[ $status == 0 ]] || outcome="FAILED ($status)"
echo "── $name $outcome after $(($(date +%s) - begin)) s"
exit $status
