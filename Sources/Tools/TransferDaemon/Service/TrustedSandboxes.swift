// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization

/// The systemd units whose sandboxes the user trusts (`transferctl apps trust`), stored in a file of the state
/// folder.
final class TrustedSandboxes: Sendable {
    private let path: String
    private let state: Mutex<Set<String>>
    /// The maximum number of units, far more than a user trusts manually.
    private static let most = 1000

    /// Reads the file. If the file is missing or unreadable, no sandbox is trusted.
    init(path: String) {
        self.path = path
        let data = FileManager.default.contents(atPath: path) ?? Data()
        state = Mutex((try? JSONDecoder().decode(Set<String>.self, from: data)) ?? [])
    }

    /// The names of the trusted units.
    var units: Set<String> { state.withLock { $0 } }

    /// Trusts a unit, or revokes the trust. Returns after the file is written.
    ///
    /// - Throws: An error if the file cannot be written or already has 1000 units. Nothing has changed then.
    func set(_ unit: String, isTrusted: Bool) throws {
        try state.withLock { units in
            var changed = units
            if isTrusted { changed.insert(unit) } else { changed.remove(unit) }
            guard changed != units else { return }
            guard changed.count <= Self.most else { throw CocoaError(.fileWriteOutOfSpace) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            try DurableFile.write(encoder.encode(changed.sorted()), to: path)
            chmod(path, 0o600)
            units = changed
        }
    }
}
