#!/usr/bin/env bash
# Prove that the last commit passes on a machine that has never seen it: a clone
# in a temporary folder, with empty module, build, lint and npm caches.
#
#   scripts/freshclone.sh [COMMAND...]      .ci/run unless told otherwise
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
# Go's module cache is read-only; modcacherw lets it be removed again.
trap 'rm -rf "$dir"' EXIT
git clone -q --no-hardlinks . "$dir/clone"
cd "$dir/clone"
export GOFLAGS=-modcacherw GOMODCACHE=$dir/mod GOCACHE=$dir/build
export STATICCHECK_CACHE=$dir/staticcheck npm_config_cache=$dir/npm
[[ $# -gt 0 ]] || set -- .ci/run
"$@"
git status --short
[[ -z $(git status --short) ]] || { echo "The run changed the tree." >&2; exit 1; }
