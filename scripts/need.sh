#!/usr/bin/env bash
# Make sure that programs and files are there.
#
#   scripts/need.sh PROBE[,PROBE...]:PACKAGE ...
#
# A probe is a command, or a path (with wildcards) when it begins with a slash;
# one that is found will do. What is missing is installed from Debian's packages
# when root, else one sentence says what to do and the script fails.
set -euo pipefail

found() {
  local probe
  IFS=, read -ra probes <<<"$1"
  for probe in "${probes[@]}"; do
    if [[ $probe == /* ]]; then
      compgen -G "$probe" >/dev/null && return 0
    else
      command -v "$probe" >/dev/null && return 0
    fi
  done
  return 1
}

missing=()
for item in "$@"; do
  found "${item%%:*}" || missing+=("${item##*:}")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
  echo "Missing: ${missing[*]}. Install them (on Debian: sudo apt-get install ${missing[*]}) and run this again." >&2
  exit 1
fi

echo "installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
# Another installation may be under way: wait for it.
wait=(-o DPkg::Lock::Timeout=300)
install() { apt-get "${wait[@]}" install -y -qq --no-install-recommends "${missing[@]}"; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Package lists may be missing or old: try, refresh them, try again.
if ! install >"$log" 2>&1; then
  { apt-get "${wait[@]}" update -qq && install; } >"$log" 2>&1 || {
    tail -20 "$log" >&2
    echo "Could not install ${missing[*]}; install them by hand and run this again." >&2
    exit 1
  }
fi
