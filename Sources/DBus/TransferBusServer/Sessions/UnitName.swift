// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The names of the units that launch apps, according to systemd's rules for desktop environments
/// (https://systemd.io/DESKTOP_ENVIRONMENTS): `app-transferd-<ApplicationID>@<RANDOM>.service`.
enum UnitName {
    private static let prefix = "app-transferd-"
    /// The maximum length in bytes that systemd allows.
    private static let longest = 255

    /// Returns the name of a unit for an app; `nil` if the app id is empty or the name is too long.
    static func unit(of app: String, number: UInt64) -> String? {
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
        let unit = "\(prefix)\(escaped)@\(String(number, radix: 16)).service"
        return app.isEmpty || unit.utf8.count > longest ? nil : unit
    }

    /// Whether a process is in a unit.
    static func isUnit(_ unit: String, of process: Int32) -> Bool {
        group(of: process).split(whereSeparator: { $0 == "/" || $0 == "\n" }).contains(unit[...])
    }

    /// Returns the text of `/proc/PID/cgroup`; empty if the process has ended.
    static func group(of process: Int32) -> String {
        FileManager.default.contents(atPath: "/proc/\(process)/cgroup").map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    /// Returns the app of the unit that a control group belongs to; `nil` if the daemon did not start the unit. The
    /// daemon may have started the unit in an earlier run.
    ///
    /// - Parameter cgroup: The text of `/proc/PID/cgroup`.
    static func app(inGroup cgroup: String) -> String? {
        for line in cgroup.split(separator: "\n") {
            // The format is `number:controllers:path`. systemd's own hierarchy has the number 0 or the name
            // `systemd`.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0] == "0" || fields[1] == "name=systemd" else { continue }
            for unit in fields[2].split(separator: "/").reversed()
            where unit.hasPrefix(prefix) && unit.hasSuffix(".service") {
                guard let at = unit.firstIndex(of: "@") else { continue }
                let app = SystemdUnit.unescaped(unit[..<at].dropFirst(prefix.count))
                if !app.isEmpty { return app }
            }
        }
        return nil
    }
}
