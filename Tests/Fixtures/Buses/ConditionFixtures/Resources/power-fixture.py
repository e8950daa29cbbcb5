#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real upowerd with power supplies that umockdev fakes.

The script runs under umockdev-wrapper. For the commands on standard input, see commands.py.
"""
import signal
import subprocess
import sys
import time

import gi

from commands import serve

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

# umockdev names the socket of a listener after the listener's descriptor. A process that binds a socket of the same
# name takes the place of the listener, which then receives no events. upowerd therefore has higher descriptors than
# the probes: all lower ones are in use.
UPOWERD = ["bash", "-c", """
for number in {3..63}; do eval "exec $number</dev/null"; done
exec /usr/libexec/upowerd
"""]


class Fixture:
    def __init__(self, with_supplies):
        self.testbed = UMockdev.Testbed.new()
        self.daemon = None
        self.adapter = self.battery = None
        if with_supplies:
            self.add_supplies()

    def add_supplies(self):
        self.adapter = self.testbed.add_device(
            "power_supply", "AC", None, ["type", "Mains", "online", "1"], [])
        self.battery = self.testbed.add_device(
            "power_supply", "BAT0", None,
            ["type", "Battery", "present", "1", "status", "Charging", "energy_full", "60000000",
             "energy_full_design", "80000000", "energy_now", "48000000", "voltage_now", "12000000",
             "power_now", "10000000", "capacity", "80", "technology", "Li-ion", "scope", "System"],
            ["POWER_SUPPLY_ONLINE", "1"])

    def announce(self, *devices):
        for device in devices:
            self.testbed.uevent(device, "change")

    def root(self):
        return self.testbed.get_root_dir()

    def ac(self, online):
        self.testbed.set_attribute(self.adapter, "online", online)
        self.testbed.set_attribute(self.battery, "status", "Charging" if online == "1" else "Discharging")
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self.announce(self.adapter, self.battery)
        return str(before)

    def level(self, percent):
        self.testbed.set_attribute(self.battery, "capacity", percent)
        self.testbed.set_attribute(self.battery, "energy_now", str(int(percent) * 600000))
        self.announce(self.battery)

    def silently(self, online):
        """Changes sysfs without an event."""
        self.testbed.set_attribute(self.adapter, "online", online)
        self.testbed.set_attribute(self.battery, "status", "Charging" if online == "1" else "Discharging")

    def set(self, name, *attributes):
        """Changes AC or BAT0, and announces the change."""
        device = {"AC": self.adapter, "BAT0": self.battery}[name]
        for key, value in zip(attributes[::2], attributes[1::2]):
            self.testbed.set_attribute(device, key, value)
        self.announce(device)

    def spawn(self):
        self.daemon = subprocess.Popen(UPOWERD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return str(self.daemon.pid)

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()
        self.daemon = None

    def stop(self):
        self.daemon.send_signal(signal.SIGSTOP)
        while True:
            with open(f"/proc/{self.daemon.pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "T":
                    return
            time.sleep(0.001)

    def cont(self):
        self.daemon.send_signal(signal.SIGCONT)

    def end(self):
        if self.daemon:
            self.kill()


serve(lambda: Fixture(with_supplies="--no-supplies" not in sys.argv))
