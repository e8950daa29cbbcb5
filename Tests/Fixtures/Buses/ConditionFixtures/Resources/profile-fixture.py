#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real power-profiles-daemon with a platform profile that umockdev fakes, and a real polkitd that allows changes.

The script runs under umockdev-wrapper. For the commands on standard input, see commands.py.
"""
import os
import subprocess
import time

import gi

from commands import serve

gi.require_version("UMockdev", "1.0")
from gi.repository import Gio, GLib, UMockdev  # noqa: E402

SUBJECT = ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles")


class Fixture:
    def __init__(self):
        self.testbed = UMockdev.Testbed.new()
        folder = os.path.join(self.testbed.get_root_dir(), "sys/firmware/acpi")
        os.makedirs(folder)
        for name, text in (("platform_profile", "balanced\n"),
                           ("platform_profile_choices", "low-power balanced performance\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flags, None, None)
        self.daemons = [self.start("/usr/lib/polkit-1/polkitd", "--no-debug")]
        self.await_name("org.freedesktop.PolicyKit1")

    def start(self, *command):
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def call(self, service, path, interface, method, arguments):
        return self.bus.call_sync(service, path, interface, method, arguments, None, 0, 20000, None).unpack()

    def await_name(self, name):
        for _ in range(2000):
            if self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                         GLib.Variant("(s)", (name,)))[0]:
                return
            time.sleep(0.01)
        raise RuntimeError(f"{name} did not appear on the bus")

    def spawn(self):
        self.daemons.append(self.start("/usr/libexec/power-profiles-daemon"))
        self.await_name(SUBJECT[0])

    def set(self, profile):
        self.call(*SUBJECT, "org.freedesktop.DBus.Properties", "Set",
                  GLib.Variant("(ssv)", (SUBJECT[0], "ActiveProfile", GLib.Variant("s", profile))))

    def kill(self):
        daemon = self.daemons.pop()
        daemon.kill()
        daemon.wait()

    def end(self):
        while self.daemons:
            self.kill()


serve(Fixture)
