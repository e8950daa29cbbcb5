#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real systemd-logind on the bus in DBUS_SYSTEM_BUS_ADDRESS, with a stand-in for systemd itself.

The script runs under `unshare --mount`, so that logind's files and the machine's power states lie in a mount
namespace. The stand-in claims to start suspend.target but does nothing, so the machine never sleeps. The simulated
sleep lasts until `wake`. For the commands on standard input, see commands.py.
"""
import os
import signal
import subprocess
import threading
import time

from gi.repository import Gio, GLib

from commands import serve

MANAGER = """
<node><interface name="org.freedesktop.systemd1.Manager">
  <method name="StartUnit"><arg type="s"/><arg type="s"/><arg type="o" direction="out"/></method>
  <method name="Subscribe"/>
  <signal name="JobRemoved"><arg type="u"/><arg type="o"/><arg type="s"/><arg type="s"/></signal>
</interface></node>"""
UNIT = """
<node><interface name="org.freedesktop.systemd1.Unit">
  <property name="LoadState" type="s" access="read"/><property name="ActiveState" type="s" access="read"/>
</interface></node>"""
ROOT = "/org/freedesktop/systemd1"
LOGIN = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def prepare():
    """Hides the machine's own logind state, and pretends that the machine supports sleep."""
    subprocess.check_call(["mount", "--make-rprivate", "/"])
    os.makedirs("/run/systemd", exist_ok=True)
    for folder in ("/run/systemd", "/sys/power"):
        subprocess.check_call(["mount", "-t", "tmpfs", "none", folder])
    for name, text in (("state", "freeze mem disk\n"), ("mem_sleep", "[s2idle] deep\n"), ("disk", "[platform]\n")):
        with open(f"/sys/power/{name}", "w") as file:
            file.write(text)


class Fixture:
    def __init__(self):
        prepare()
        self.daemon = None
        self.job = 0
        self.jobs = []
        self.requested = self.started = 0
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flags, None, None)
        manager = Gio.DBusNodeInfo.new_for_xml(MANAGER).interfaces[0]
        unit = Gio.DBusNodeInfo.new_for_xml(UNIT).interfaces[0]
        self.bus.register_object(ROOT, manager, self.handle_call, None, None)
        for target in ("suspend", "poweroff", "reboot"):
            self.bus.register_object(
                f"{ROOT}/unit/{target}_2etarget", unit, None,
                lambda *arguments: GLib.Variant("s", "loaded" if arguments[4] == "LoadState" else "inactive"), None)
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                  GLib.Variant("(su)", ("org.freedesktop.systemd1", 4)))
        threading.Thread(target=GLib.MainLoop().run, daemon=True).start()

    def call(self, service, path, interface, method, arguments=None):
        return self.bus.call_sync(service, path, interface, method, arguments, None, 0, 20000, None).unpack()

    def handle_call(self, connection, sender, path, interface, method, parameters, invocation):
        if method != "StartUnit":
            return invocation.return_value(None)
        self.started = time.monotonic()
        self.job += 1
        self.jobs.append((self.job, f"{ROOT}/job/{self.job}", parameters.unpack()[0]))
        invocation.return_value(GLib.Variant("(o)", (self.jobs[-1][1],)))

    def spawn(self):
        self.daemon = subprocess.Popen(
            ["/lib/systemd/systemd-logind"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        while not self.call(*bus, "NameHasOwner", GLib.Variant("(s)", (LOGIN[0],)))[0]:
            time.sleep(0.005)
            if self.daemon.poll() is not None:
                raise RuntimeError(f"logind ended with {self.daemon.returncode}")

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()
        self.daemon = None

    def stop(self):
        self.daemon.send_signal(signal.SIGSTOP)

    def cont(self):
        self.daemon.send_signal(signal.SIGCONT)

    def sleep(self):
        self.requested = time.monotonic()
        self.call(*LOGIN, "Suspend", GLib.Variant("(b)", (False,)))

    def target(self):
        """Returns the target that logind has told systemd to start since the last wake-up, or "nothing"."""
        return self.jobs[-1][2] if self.jobs else "nothing"

    def delay(self):
        """Returns the milliseconds for which logind was delayed before it started the latest target."""
        return round((self.started - self.requested) * 1000)

    def wake(self):
        """Ends the latest job, as if the machine had woken up."""
        number, path, unit = self.jobs.pop()
        arguments = GLib.Variant("(uoss)", (number, path, unit, "done"))
        self.bus.emit_signal(None, ROOT, "org.freedesktop.systemd1.Manager", "JobRemoved", arguments)
        self.bus.flush_sync(None)

    def locks(self):
        """Returns the inhibitor locks, each as what/mode/pid."""
        locks = self.call(*LOGIN, "ListInhibitors")[0]
        return " ".join(f"{what}/{mode}/{pid}" for what, _, _, mode, _, pid in locks)

    def end(self):
        if self.daemon:
            self.kill()


serve(Fixture)
