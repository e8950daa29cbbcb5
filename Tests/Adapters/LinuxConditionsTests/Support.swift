// SPDX-License-Identifier: Apache-2.0
import ProcessFixtures
import Synchronization

/// Lines that a recorder has written.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined() }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Calls `body` with a folder that exists only meanwhile.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try await body(folder.path)
}
