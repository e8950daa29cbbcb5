#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pipes the devices of a study through processes that GNU parallel starts, and merges their results:
#
#     pipe.sh [STUDY OPTION…]
#     pipe.sh --population renewal:devices=10000 --workload generated --policy default,strict
#
# Each process merges its own devices, so that one line for each hundred devices reaches the last step.
set -euo pipefail
study=$(printf '%q ' "$@")
transferlab devices --list "$@" |
    parallel --pipe -N 100 "transferlab devices --jobs 1 $study | transferlab merge --part -" |
    transferlab merge
