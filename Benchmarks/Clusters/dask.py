#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of a lab study as Dask tasks, with one process per part.

    dask.py TRANSFERLAB FOLDER PARTS TRACE... --workload W --policy P

Writes PARTS files for `transferlab merge` to FOLDER. DASK_SCHEDULER names the scheduler of an existing cluster.
"""
import os
import subprocess
import sys

from dask.distributed import Client, LocalCluster


def part(number, parts, lab, folder, study):
    command = [lab, "shard", f"{number}/{parts}", *study, "--jobs", "1", "--output", f"{folder}/{number}.part"]
    return subprocess.run(command).returncode


def main():
    lab, folder, parts, *study = sys.argv[1:]
    scheduler = os.environ.get("DASK_SCHEDULER")
    cluster = scheduler or LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        tasks = [client.submit(part, number, int(parts), lab, folder, study) for number in range(1, int(parts) + 1)]
        return max(client.gather(tasks))


if __name__ == "__main__":
    sys.exit(main())
