#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Boots the virtual laptop and prints its report: boot.py KERNEL INITRD APPEND FOLDER SECONDS.

The report arrives on the guest's second serial line. Lines that begin with "HOST " are not printed but executed with
QEMU's monitor and answered with a line. "HOST link NAME on" or "off" plugs or unplugs a cable. "RESULT 0" means
success. The console is the first serial line, saved as FOLDER/console.log. The exit status is 0 after a successful
day, 77 after a timeout without a result, and otherwise 1.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

kernel, initrd, append, folder, limit = sys.argv[1:]


class Monitor:
    """A client of QEMU's monitor protocol (QMP)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")
        self.file.readline()
        self.call("qmp_capabilities")

    def call(self, command, **arguments):
        self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            reply = json.loads(self.file.readline())
            if "return" in reply or "error" in reply:
                return "ok" if "return" in reply else "error " + reply["error"]["desc"]


def execute(words, monitor):
    if words[0] == "link":
        return monitor.call("set_link", name=words[1], up=words[2] == "on")
    return f"error: unknown request {words}"


def main():
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "monitor")
    if os.path.exists(path):
        os.unlink(path)
    # KVM is never used: it may be offered without working, and all machines should behave the same. The two ends of a
    # cable are the only network, so no packet leaves the guest.
    laptop = subprocess.Popen(
        ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1536", "-smp", "2",
         "-nodefaults", "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initrd, "-append", append,
         "-serial", f"file:{folder}/console.log", "-serial", "stdio", "-qmp", f"unix:{path},server=on,wait=off",
         "-device", "virtio-rng-pci",
         "-netdev", "hubport,id=near,hubid=0", "-device", "virtio-net-pci,netdev=near,id=cable,romfile=",
         "-netdev", "hubport,id=far,hubid=0", "-device", "virtio-net-pci,netdev=far,id=socket,romfile=",
         "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(f"{folder}/qemu.log", "w"), text=True,
        errors="replace", bufsize=1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    late = threading.Timer(float(limit), laptop.kill)
    late.start()
    begin = time.monotonic()
    result = None
    monitor = None
    try:
        for line in laptop.stdout:
            line = line.rstrip("\r\n")
            if line.startswith("HOST "):
                monitor = monitor or Monitor(path)
                laptop.stdin.write(execute(line.split()[1:], monitor) + "\n")
            elif line.startswith("RESULT "):
                result = int(line.split()[1])
            else:
                print(line, flush=True)
        laptop.wait()
    finally:
        late.cancel()
        laptop.kill()
        laptop.wait()
    seconds = time.monotonic() - begin
    if result is None and seconds >= float(limit):
        print(f"Skipped: the rest of the virtual laptop's day, because this machine needs more than {limit} s")
        return 77
    if result is None:
        print("FAILED: the virtual laptop ended without a result; the end of its console and of QEMU's output:", flush=True)
        for name in ("console.log", "qemu.log"):
            with open(os.path.join(folder, name), errors="replace") as log:
                print("".join(log.readlines()[-60:]))
    print(f"The virtual laptop ran for {seconds:.0f} s")
    return 0 if result == 0 else 1


sys.exit(main())
