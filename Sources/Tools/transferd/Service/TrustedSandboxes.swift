// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The systemd units whose sandboxes a person has admitted (`transferctl apps trust`), kept in a file of the state folder.
final class TrustedSandboxes: Sendable {
    private let path: String
    private let state: Mutex<Set<String>>
    /// More names than anybody admits by hand.
    private static let most = 1000

    /// Reads the file; one that is missing, or that cannot be read, admits nobody.
    init(path: String) {
        self.path = path
        let data = FileManager.default.contents(atPath: path) ?? Data()
        state = Mutex((try? JSONDecoder().decode(Set<String>.self, from: data)) ?? [])
    }

    /// The names of the units.
    var units: Set<String> { state.withLock { $0 } }

    /// Admits a unit, or does so no longer; durable on return.
    ///
    /// - Throws: what keeps the file from being written; nothing has changed then.
    func set(_ unit: String, isTrusted: Bool) throws {
        try state.withLock { units in
            var changed = units
            if isTrusted { changed.insert(unit) } else { changed.remove(unit) }
            guard changed != units else { return }
            guard changed.count <= Self.most else { throw CocoaError(.fileWriteOutOfSpace) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            try encoder.encode(changed.sorted()).write(to: URL(fileURLWithPath: path), options: .atomic)
            chmod(path, 0o600)
            units = changed
        }
    }
}
