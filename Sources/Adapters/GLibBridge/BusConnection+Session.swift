// SPDX-License-Identifier: Apache-2.0
import CGIO
import Glibc

extension BusConnection {
    /// The session bus's address, as the environment gives it; nil when there is none.
    ///
    /// Not GIO's word: to find one it would start a bus.
    package static func sessionBusAddress() -> String? {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS").map({ String(cString: $0) }), !address.isEmpty {
            return address
        }
        guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !folder.isEmpty,
            let escaped = g_dbus_address_escape_value("\(folder)/bus")
        else { return nil }
        defer { g_free(escaped) }
        return "unix:path=\(String(cString: escaped))"
    }
}
