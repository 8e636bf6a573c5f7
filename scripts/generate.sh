#!/usr/bin/env bash
# Write all generated files below a folder, at their paths in the tree:
#
#   scripts/generate.sh .         renew them in place
#   scripts/generate.sh --check   write them elsewhere and compare
#
# .proto -> Go, REST types -> web/openapi.json -> web/src/api/schema.d.ts. Needs
# web/node_modules (make sees to it). Works offline.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
modules=$root/web/node_modules/.bin

generate() {
  local out=$1
  mkdir -p "$out/proto" "$out/web/src/api"
  (cd proto && "$modules/buf" generate -o "$out/proto")
  go run -tags nomsgpack ./server/cmd/allspark openapi >"$out/web/openapi.json.new"
  mv "$out/web/openapi.json.new" "$out/web/openapi.json"
  "$modules/openapi-typescript" "$out/web/openapi.json" -o "$out/web/src/api/schema.d.ts" >/dev/null
}

if [[ ${1:-} != --check ]]; then
  mkdir -p "$1"
  generate "$(cd "$1" && pwd)"
  exit
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
generate "$fresh"
stale=0
while IFS= read -r -d '' file; do
  path=${file#"$fresh"/}
  diff -u --label "$path" --label "$path (fresh)" "$path" "$file" | head -40 || stale=1
done < <(find "$fresh" -type f -print0)
# A file whose source is gone is stale too.
while IFS= read -r path; do
  [[ -e $fresh/$path ]] || { echo "$path: nothing generates it any more"; stale=1; }
done < <(find proto -name '*.pb.go')
if [[ $stale != 0 ]]; then
  echo "Generated files are stale: run make generate." >&2
  exit 1
fi
