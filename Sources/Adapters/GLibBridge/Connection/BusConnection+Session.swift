// SPDX-License-Identifier: Apache-2.0
import CGIO
import Glibc

extension BusConnection {
    /// Returns the address of the session bus from the environment; `nil` if there is none.
    ///
    /// GIO is not asked, because GIO would start a bus if there is none.
    package static func sessionBusAddress(in environment: (String) -> String? = ownEnvironment) -> String? {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        guard let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/"),
            let escaped = g_dbus_address_escape_value(folder + "/bus")
        else { return nil }
        defer { g_free(escaped) }
        return "unix:path=" + String(cString: escaped)
    }

    /// Returns a variable of this process's environment.
    package static func ownEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
