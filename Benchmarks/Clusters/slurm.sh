#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Submits a study of the policy lab to Slurm: an array of jobs, and a job that merges their parts once all are done.
#
#     slurm.sh PARTS FOLDER [STUDY OPTION…]
#     slurm.sh 1000 /shared/study --population renewal:devices=1000000 --workload generated --policy default,strict
#
# The folder is on a file system that all nodes share, and transferlab is in PATH on each of them. A task whose process
# or node is lost is queued again, up to three times, two minutes later; the other parts stay.
set -euo pipefail
count=$1 folder=$2
shift 2
mkdir -p "$folder"
study=$(printf '%q ' "$@")
parts=$(sbatch --parsable --array="1-$count" --requeue --cpus-per-task=1 --output="$folder/%a.log" <<END
#!/usr/bin/env bash
transferlab shard auto --jobs 1 --parts $(printf '%q' "$folder") $study && exit
# Slurm queues a task again after the loss of its node, but after a signal only if it is asked to.
[ "\${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "\$SLURM_JOB_ID"
exit 1
END
)
merged=$(sbatch --parsable --dependency="afterok:$parts" --output="$folder/merge.log" <<END
#!/usr/bin/env bash
transferlab merge $(printf '%q' "$folder") --json $(printf '%q' "$folder/study.json")
END
)
echo "array $parts, merge $merged"
