// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A running probe program, which prints a line for each snapshot.
struct ConditionsProbe: Sendable {
    let process: FixtureProcess

    /// Starts the probe. `prefix` is a command that runs the probe elsewhere, in a namespace for example.
    init(_ arguments: [String] = [], prefix: [String] = [], environment: [String: String]) throws {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let program = folder.appendingPathComponent("ConditionsProbe").path
        process = try FixtureProcess(prefix + [program] + arguments, environment: environment)
    }

    /// The probe's process id.
    var id: Int32 { process.id }

    /// All lines so far.
    var lines: [LineBuffer.Line] { process.output.all }

    /// Skips the lines that have arrived.
    func skip() { process.output.skip() }

    /// Waits for the next line that contains all of `parts`, and skips the lines before it.
    ///
    /// Each part is a `key=value`. A value may end before any slash; its source and the rest are then ignored.
    @discardableResult
    func line(_ parts: String..., within limit: Duration = .seconds(30)) async throws -> LineBuffer.Line {
        do {
            return try await process.output.next(within: limit) { Self.line($0, containsAll: parts) }
        } catch {
            throw FixtureError("waiting for \(parts): \(error)")
        }
    }

    /// Returns whether a line contains all of `parts`.
    static func line(_ line: String, containsAll parts: [String]) -> Bool {
        let words = line.split(separator: " ")
        return parts.allSatisfy { part in words.contains { $0 == part || $0.hasPrefix(part + "/") } }
    }

    /// Ends the probe in an orderly way.
    func end() async { await process.end() }
}
