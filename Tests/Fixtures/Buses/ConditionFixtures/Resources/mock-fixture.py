# SPDX-License-Identifier: Apache-2.0
"""A mock of ModemManager with a modem and of NetworkManager, or of the network portal, made with python-dbusmock.

`mock-fixture.py modem` owns its name on the system bus, `mock-fixture.py portal` on the session bus. For the commands on
standard input, see commands.py.
"""

import os
import subprocess
import sys
import time

import dbus

from commands import serve

MM = "org.freedesktop.ModemManager1"
MM_PATH = "/org/freedesktop/ModemManager1"
MODEM_PATH = MM_PATH + "/Modem/0"
NM = "org.freedesktop.NetworkManager"
NM_PATH = "/org/freedesktop/NetworkManager"
PORTAL = "org.freedesktop.portal.Desktop"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
MONITOR = "org.freedesktop.portal.NetworkMonitor"
MOCK = "org.freedesktop.DBus.Mock"


class Mock:
    def __init__(self, bus_type, name, path, interface, *options):
        self.bus = dbus.bus.BusConnection(os.environ[f"DBUS_{bus_type.upper()}_BUS_ADDRESS"])
        command = [sys.executable, "-m", "dbusmock", *options, f"--{bus_type}", name, path, interface]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not self.bus.name_has_owner(name):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("python-dbusmock did not claim " + name)
            time.sleep(0.02)
        self.name = name

    def at(self, path, interface=MOCK):
        return dbus.Interface(self.bus.get_object(self.name, path), interface)

    def end(self):
        self.process.kill()
        self.process.wait()


class Modem:
    def __init__(self):
        self.mock = Mock("system", MM, MM_PATH, MM, "--is-object-manager")
        self.manager = None

    def ready(self):
        """Does nothing. The object exists only after the mock owns its name."""

    def add(self, interface, registration):
        ports = dbus.Array([("cdc-wdm0", dbus.UInt32(6)), (interface, dbus.UInt32(2))], signature="(su)")
        self.mock.at(MM_PATH).AddObject(MODEM_PATH, MM + ".Modem", {"Ports": ports}, [])
        state = {"RegistrationState": dbus.UInt32(int(registration))}
        self.mock.at(MODEM_PATH).AddProperties(MM + ".Modem.Modem3gpp", state)
        # AddProperties emits no signal, and the object was announced before it had this interface.
        self.mock.at(MODEM_PATH).UpdateProperties(MM + ".Modem.Modem3gpp", state)

    def state(self, registration):
        state = {"RegistrationState": dbus.UInt32(int(registration))}
        self.mock.at(MODEM_PATH).UpdateProperties(MM + ".Modem.Modem3gpp", state)

    def link(self, kind):
        kind = {"PrimaryConnectionType": kind}
        if self.manager is None:
            self.manager = Mock("system", NM, NM_PATH, NM)
            self.manager.at(NM_PATH).AddProperties(NM, {"PrimaryConnection": dbus.ObjectPath("/a/1"), **kind})
        # AddProperties emits no signal.
        self.manager.at(NM_PATH).UpdateProperties(NM, kind)

    def remove(self):
        self.mock.at(MM_PATH).RemoveObject(MODEM_PATH)
        # The mock itself announces neither added nor removed objects.
        removed = [dbus.ObjectPath(MODEM_PATH), dbus.Array([MM + ".Modem"], signature="s")]
        self.mock.at(MM_PATH).EmitSignal(
            "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", removed)

    def end(self):
        self.mock.end()
        if self.manager is not None:
            self.manager.end()


class Portal:
    def __init__(self):
        self.mock = Mock("session", PORTAL, PORTAL_PATH, MONITOR)

    def ready(self):
        """Does nothing. The object exists only after the mock owns its name."""

    def status(self, *words):
        available, metered, connectivity = (int(word) for word in words)
        text = f"{{'available': {bool(available)}, 'metered': {bool(metered)}, 'connectivity': dbus.UInt32({connectivity})}}"
        self.mock.at(PORTAL_PATH).AddMethod(
            MONITOR, "GetStatus", "", "a{sv}", f"ret = dbus.Dictionary({text}, signature='sv')")
        self.mock.at(PORTAL_PATH).EmitSignal(MONITOR, "changed", "", [])

    def end(self):
        self.mock.end()


serve({"modem": Modem, "portal": Portal}[sys.argv[1]])
