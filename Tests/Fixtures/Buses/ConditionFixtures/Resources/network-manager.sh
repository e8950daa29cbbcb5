#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs NetworkManager in a network namespace and under `unshare --mount`, so that the machine keeps no traces of it.
set -e
mount --make-rprivate /
mkdir -p /run/NetworkManager /var/lib/NetworkManager
for folder in /etc/NetworkManager /run/NetworkManager /var/lib/NetworkManager; do
    mount -t tmpfs none "$folder"
done
mkdir -p /etc/NetworkManager/system-connections /etc/NetworkManager/conf.d
# With a read-only /sys, NetworkManager does not wait for udev.
mount -o remount,ro /sys 2>/dev/null || mount -o remount,ro,bind /sys
cat > /etc/NetworkManager/NetworkManager.conf <<'EOF'
[main]
plugins=keyfile
auth-polkit=false
dhcp=internal
dns=none
rc-manager=unmanaged
no-auto-default=*
[keyfile]
unmanaged-devices=none
[connectivity]
enabled=false
[logging]
level=INFO
[device-all]
match-device=*
managed=1
EOF
exec /usr/sbin/NetworkManager --debug
