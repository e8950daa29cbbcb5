// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// Copies of built programs in a folder, which are replaced as a package manager does: all files are written before the
/// first of them gets its name. Running programs continue with their old files.
struct InstalledPrograms {
    let folder: String
    /// The programs that are one file, as in a package.
    private static let ours: Set = ["transferctl", "transferd", "transfer-worker"]

    /// Installs programs, or replaces them.
    ///
    /// - Parameter programs: The names of the built programs, by the names under which they are installed.
    func install(_ programs: [String: String]) throws {
        var written: [String: String] = [:]
        for (name, program) in programs {
            let (file, source) = ("\(folder)/\(name).new", Self.ours.contains(program) ? "transferctl" : program)
            if let other = written[source] {
                try FileManager.default.linkItem(atPath: other, toPath: file)
            } else {
                try FileManager.default.copyItem(atPath: builtProgram(source), toPath: file)
                written[source] = file
            }
        }
        for name in programs.keys {
            guard rename("\(folder)/\(name).new", "\(folder)/\(name)") == 0 else {
                throw FixtureError("\(name) cannot be installed: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Installs programs under their own names, or replaces them.
    func install(_ names: String...) throws {
        try install(Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
    }
}
