// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The processes of this machine.
enum ProcessList {
    /// Returns the processes that run the executable file, whoever has started them.
    static func running(_ program: String) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == program
        }
    }

    /// Returns the folder in which a process runs.
    static func folder(of process: pid_t) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
    }

    /// Returns the IDs and names of a process's children.
    static func children(of parent: pid_t) -> [(id: pid_t, name: String)] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.compactMap { id -> (id: pid_t, name: String)? in
            guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return nil }
            let fields: [String: String] = text.split(separator: "\n").reduce(into: [:]) { fields, line in
                let parts = line.split(separator: "\t", maxSplits: 1)
                if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
            }
            return fields["PPid:"] == "\(parent)" ? (id, fields["Name:"] ?? "") : nil
        }
    }
}
