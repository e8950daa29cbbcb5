#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Boots the machine's systemd in namespaces of its own, on an overlay of the machine's root: nothing that it changes lasts.
#
#     systemd-fixture.sh FOLDER [SHARED...]      FOLDER: an empty folder; SHARED: folders that are the same inside
#
# The script runs as the first process of a process namespace, and becomes systemd. FOLDER/root is the root of the
# booted system.
set -euo pipefail
folder=$1
mount --make-rprivate /
if [ -z "${group-}" ]; then
    # Two systems in one control group would share the groups of units with equal names: one would thaw what the other
    # has frozen.
    group=${folder##*/}
    mkdir "$folder/groups"
    mount -t cgroup2 cgroup2 "$folder/groups"
    mkdir "$folder/groups/$group"
    echo 0 >"$folder/groups/$group/cgroup.procs"
    umount "$folder/groups"
    export group
    exec unshare --cgroup bash "$0" "$@"
fi
shift
root=$folder/root
mkdir -p "$root" "$folder/changes"
mount -t tmpfs tmpfs "$folder/changes"
mkdir "$folder"/changes/{upper,work}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes/upper,workdir=$folder/changes/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount --rbind /dev "$root/dev"
for shared; do
    mkdir -p "$root$shared"
    mount --bind "$shared" "$root$shared"
done
# Only what a test starts runs.
rm -rf "$root"/etc/systemd/system/*.{wants,requires} "$root"/{usr/,}lib/systemd/system/*.wants
ln -sf /dev/null "$root/etc/systemd/system/systemd-udevd.service"
: >"$root/etc/machine-id"
ip link set lo up
export container=test
exec chroot "$root" /lib/systemd/systemd --system --unit=multi-user.target --log-target=console --show-status=0
