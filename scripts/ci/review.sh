#!/usr/bin/env bash
# What the action runs: one change (LOCKSTEP_CHANGE), its annotations on standard output, its review in the job's summary,
# SARIF beside it, and a review for `lockstep post` where LOCKSTEP_REVIEW_FILE names a file. Exits as LOCKSTEP_FAIL_ON says.
set -euo pipefail
out=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/lockstep-out
mkdir -p "$out"
command=(review "${LOCKSTEP_CHANGE:-HEAD}")
if [ "${LOCKSTEP_CHANGE:-}" = tree ]; then
  command=(check)
  if [ -n "${LOCKSTEP_REVIEW_FILE:-}" ]; then
    echo "review.sh: a review is of a change: leave out 'review-file', or name a change instead of 'tree'" >&2
    exit 2
  fi
fi
case "${LOCKSTEP_CHANGE:-}" in -*) echo "review.sh: '$LOCKSTEP_CHANGE' is no change" >&2; exit 2 ;; esac

lockstep "${command[@]}" --format sarif --output "$out/lockstep.sarif"
lockstep "${command[@]}" --quiet --output "$out/review.md"
# GitHub takes a summary of 1 MiB.
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || head --bytes 900000 "$out/review.md" >>"$GITHUB_STEP_SUMMARY"
[ "${LOCKSTEP_ANNOTATIONS:-true}" != true ] || lockstep "${command[@]}" --quiet --format annotations
{
  echo "sarif-file=$out/lockstep.sarif"
  # Code scanning wants both or neither.
  if [ -n "${LOCKSTEP_PULL_REQUEST_HEAD:-}" ] && [ "${LOCKSTEP_CHANGE:-}" = "${LOCKSTEP_PULL_REQUEST:-}" ]; then
    echo "sarif-ref=refs/pull/$LOCKSTEP_PULL_REQUEST/head"
    echo "sarif-sha=$LOCKSTEP_PULL_REQUEST_HEAD"
  fi
  if [ -n "${LOCKSTEP_REVIEW_FILE:-}" ]; then
    lockstep "${command[@]}" --quiet --format github --output "$LOCKSTEP_REVIEW_FILE"
    echo "review-file=$LOCKSTEP_REVIEW_FILE"
  fi
} >>"${GITHUB_OUTPUT:-$out/outputs}"
if [ -n "${LOCKSTEP_FAIL_ON:-}" ]; then
  lockstep "${command[@]}" --quiet --format json --output "$out/review.json" --fail-on "$LOCKSTEP_FAIL_ON"
fi
