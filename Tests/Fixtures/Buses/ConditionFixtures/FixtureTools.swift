// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// Lookup of the programs and resources that fixtures need.
enum FixtureTools {
    /// Returns the reason a fixture cannot run without these programs, or `nil` if all are installed.
    static func missing(_ programs: [String]) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.components(separatedBy: ":") + ["/usr/sbin", "/sbin"]
        let missing = programs.filter { program in
            let candidates = program.hasPrefix("/") ? [program] : folders.map { "\($0)/\(program)" }
            return !candidates.contains { FileManager.default.isExecutableFile(atPath: $0) }
        }
        return missing.isEmpty ? nil : "not installed: \(missing.joined(separator: ", "))"
    }

    /// Returns the path of one of this package's resources.
    static func resource(_ name: String) throws -> String {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Resources") else {
            throw FixtureError("the resource \(name) of the fixtures is missing")
        }
        return url.path
    }
}
