// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Putting programs that were started by their commands into control groups of their own, where systemd keeps those of this
/// person: they do not end with the daemon's, and are known as their apps when the daemon is started anew.
extension BusServer {
    private static let manager = "org.freedesktop.systemd1"

    /// Has systemd move a process; nothing without systemd.
    package nonisolated func moveIntoScope(_ process: Int32, of app: String) {
        perform { server in
            guard server.names.isOwned(Self.manager), let unit = ScopeName.unit(of: app, process: process) else {
                return
            }
            // The unit's name has no character that ends a text; a kernel or a systemd that refuses leaves it where it is.
            try? server.bus?.call(
                "StartTransientUnit", of: Self.manager + ".Manager", at: "/org/freedesktop/systemd1",
                service: Self.manager,
                text: """
                    ('\(ScopeName.quoted(unit))', 'fail', [('PIDs', <[uint32 \(process)]>), ('Slice', <'app.slice'>), \
                    ('CollectMode', <'inactive-or-failed'>)], @a(sa(sv)) [])
                    """, type: "(ssa(sv)a(sa(sv)))")
        }
    }
}

/// Units of apps by systemd's rules for desktop environments (https://systemd.io/DESKTOP_ENVIRONMENTS).
enum ScopeName {
    /// systemd has no longer names.
    private static let longest = 255

    /// `app-<ApplicationID>-<RANDOM>.scope`; nil where that would be too long.
    static func unit(of app: String, process: Int32) -> String? {
        let escaped = app.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
        }.joined()
        let unit = "app-\(escaped)-\(process).scope"
        return app.isEmpty || unit.utf8.count > longest ? nil : unit
    }

    /// As a text of GVariant's has it.
    static func quoted(_ unit: String) -> String { unit.replacing("\\", with: "\\\\") }
}
