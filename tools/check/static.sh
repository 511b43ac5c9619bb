#!/bin/sh
# static.sh RESULTS: the parts of ./check that need no more than the sources. Adds their results to the file.
# Their output may go to a file: standard error gets a line for each part that fails.
set -eu
cd "$(dirname -- "$(readlink -f -- "$0")")/../.."
. install/say.sh
. tools/check/part.sh
results=$1

static() {
  part "$@" 2>&1
  [ "$verdict" = passed ] || say "FAILED: $1" >&2
}

# The shortest first: what they find is known soonest.
static 'house rules' node tools/check-house-rules.ts
static 'files named in docs' node tools/check-docs.ts
static 'released schema' node tools/check-released.ts
static 'types' npm run --silent types
static 'types of /docs' tsc --noEmit --project server/http/reference/browser
static 'format and lint' biome ci .
static 'generated documents' node tools/check-generated.ts
static 'dead code' knip
static 'import direction' npm run --silent direction
static 'lint with types' oxlint --type-aware --deny-warnings
