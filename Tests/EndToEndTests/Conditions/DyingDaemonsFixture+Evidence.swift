// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

extension DyingDaemonsFixture {
    /// Returns the state of every source of power at this moment, and the last lines of each trace.
    ///
    /// The evidence tells whose fault a wrong reading is. If the kernel or upowerd reports the battery and the probe
    /// still listens, the product is wrong. If the probe's socket belongs to another process, the fixture is wrong.
    func evidence() async -> String {
        let supplies = power.sysfsRoot + "/class/power_supply"
        let onBattery = [
            "busctl", "--address=\(bus.address)", "--timeout=2", "get-property", "org.freedesktop.UPower",
            "/org/freedesktop/UPower", "org.freedesktop.UPower", "OnBattery",
        ]
        let reply: String
        do { reply = Self.trimmed(try await FixtureProcess.run(onBattery)) } catch { reply = Self.trimmed("\(error)") }
        let recorded = Self.text(recording.path).split(separator: "\n").map(String.init)
        let sections: [(title: String, lines: [String])] = [
            ("sysfs", ["AC/online", "BAT0/status"].map { "\($0) is \(Self.text("\(supplies)/\($0)"))" }),
            ("upowerd, state and OnBattery", [Self.state(of: upowerd), reply]),
            ("sockets of upowerd for kernel events, and inodes", sockets(of: upowerd)),
            ("sockets of the probe for kernel events, and inodes", sockets(of: probe.id)),
            ("sockets that the fake kernel reaches", ((try? power.listeners()) ?? []).sorted().map { "event\($0)" }),
            ("actions, with seconds", log.suffix(40)),
            (
                "published, with seconds",
                probe.lines.suffix(15).map { "\(Double(($0.time - bootStart) / 1_000_000) / 1000) \($0.text)" }
            ),
            ("observed; second 0 is \(bootStart)", recorded.suffix(30)),
        ]
        return sections.map { "[\($0.title)]\n" + $0.lines.joined(separator: "\n") }.joined(separator: "\n")
    }

    /// The numbers of threads and open files of the probe, and its resident memory in KiB.
    func resources() throws -> (threads: Int, files: Int, memory: Int) {
        let folder = "/proc/\(probe.id)"
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        func number(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
            return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } } ?? 0
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
        return (number("Threads"), files, number("VmRSS"))
    }

    /// Returns the sockets below the folder of the fake kernel that a process has open.
    private func sockets(of process: Int32) -> [String] {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let open = Set(
            names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") })
        return Self.text("/proc/\(process)/net/unix").split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count == 8, columns[7].hasPrefix(power.root), open.contains("socket:[\(columns[6])]")
            else { return nil }
            return "\(columns[7].dropFirst(power.root.count + 1)), \(columns[6])"
        }
    }

    private static func state(of process: Int32) -> String {
        Self.text("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("State") }.map(String.init)
            ?? "ended"
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)).map(trimmed) ?? "unreadable"
    }

    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}
