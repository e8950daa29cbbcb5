// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What rigs need of the machine, and what they bring along.
enum RigTools {
    /// Why a rig cannot run for want of these programs; nil when all are there.
    static func missing(_ programs: [String]) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.components(separatedBy: ":") + ["/usr/sbin", "/sbin"]
        let missing = programs.filter { program in
            let candidates = program.hasPrefix("/") ? [program] : folders.map { "\($0)/\(program)" }
            return !candidates.contains { FileManager.default.isExecutableFile(atPath: $0) }
        }
        return missing.isEmpty ? nil : "not installed: \(missing.joined(separator: ", "))"
    }

    /// A file of this package's resources.
    static func resource(_ name: String) throws -> String {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Resources") else {
            throw RigError("the rigs' resource \(name) is missing")
        }
        return url.path
    }
}
