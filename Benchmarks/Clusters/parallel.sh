#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a study of the policy lab in parts, with GNU parallel on one machine:
#
#     parallel.sh PARTS FOLDER [STUDY OPTION…]
#     parallel.sh 100 study --population renewal:devices=100000 --workload generated --policy default,strict
#
# A part that fails, for example because its process is killed, is tried three times. Run the same command again after an
# interruption: finished parts are not run again.
set -euo pipefail
count=$1 folder=$2
shift 2
seq "$count" | parallel --halt soon,fail=20% --retries 3 --quote \
    transferlab shard {}/"$count" --jobs 1 --parts "$folder" "$@"
transferlab merge "$folder" --json "$folder/study.json"
