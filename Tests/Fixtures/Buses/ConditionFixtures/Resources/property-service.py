#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a service with one property: property-service.py ADDRESS NAME PATH INTERFACE PROPERTY TYPE VALUE.

The first "ok" is printed after the name is owned. Each command `set VALUE` on standard input is answered with "ok".
The end of input ends the service.
"""
import sys
import threading

from gi.repository import Gio, GLib

address, name, path, interface, key, kind, value = sys.argv[1:]
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def variant(text):
    return GLib.Variant(kind, text == "true" if kind == "b" else text)


state = {"value": variant(value)}
node = f'<node><interface name="{interface}"><property name="{key}" type="{kind}" access="read"/></interface></node>'
info = Gio.DBusNodeInfo.new_for_xml(node).interfaces[0]
bus.register_object(path, info, None, lambda *arguments: state["value"], None)
threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
              GLib.Variant("(su)", (name, 4)), None, 0, 20000, None)
print("ok", flush=True)
for line in sys.stdin:
    words = line.split()
    state["value"] = variant(words[1])
    change = GLib.Variant("(sa{sv}as)", (interface, {key: state["value"]}, []))
    bus.emit_signal(None, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", change)
    bus.flush_sync(None)
    print("ok", flush=True)
