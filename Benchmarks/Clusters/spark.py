#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a study of the policy lab on Spark: devices are piped through transferlab, and partitions are merged there.

    spark-submit --master spark://HOST:7077 spark.py OUTPUT PARTITIONS [STUDY OPTION...]
    spark-submit --master 'local[2]' spark.py study.part 100 --population renewal:devices=100000 \\
        --workload generated --policy default,strict

transferlab is in the PATH of this program on each worker, too. Spark runs the partitions of a lost worker again. The output is a part:
`transferlab merge OUTPUT` prints the table.
"""
import os
import shlex
import subprocess
import sys

from pyspark import SparkContext


def main():
    output, partitions, *study = sys.argv[1:]
    lab = shlex.join(["transferlab", "devices", *study])
    names = subprocess.run(["transferlab", "devices", "--list", *study], check=True, capture_output=True, text=True)
    with SparkContext(appName="transferlab") as spark:
        devices = spark.parallelize(names.stdout.split(), int(partitions))
        # Spark starts the process with an empty environment, and without checkCode would not notice that it failed.
        pipe = f"set -o pipefail; {lab} --jobs 1 | transferlab merge --part -"
        command, path = shlex.join(["bash", "-c", pipe]), {"PATH": os.environ["PATH"]}
        parts = devices.pipe(command, path, checkCode=True).collect()
    return subprocess.run(["transferlab", "merge", "--part", output], input="\n".join(parts), text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
