#!/usr/bin/env bash
# For those who post with reviewdog (https://github.com/reviewdog/reviewdog): any forge that it knows.
set -euo pipefail
lockstep review "${1:-origin/main...HEAD}" --format rdjson | reviewdog -f=rdjson -name=lockstep -reporter="${REVIEWDOG_REPORTER:-local}" -diff="git diff ${1:-origin/main...HEAD}"
