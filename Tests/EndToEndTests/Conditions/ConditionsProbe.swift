// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation

/// The probe program as a test sees it: one line for each snapshot.
struct ConditionsProbe: Sendable {
    let process: RigProcess

    /// Starts it; `prefix` is the command that runs it somewhere else.
    init(_ arguments: [String] = [], prefix: [String] = [], environment: [String: String]) throws {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let program = folder.appendingPathComponent("ConditionsProbe").path
        process = try RigProcess(prefix + [program] + arguments, environment: environment)
    }

    /// The process's id.
    var id: Int32 { process.id }

    /// All lines so far.
    var lines: [LineBuffer.Line] { process.output.all }

    /// Forgets the lines that have come.
    func skip() { process.output.skip() }

    /// The first line not yet taken that holds all of `parts`, each given as `key=value`; where a value is given up to
    /// a slash, its source and the rest do not matter.
    @discardableResult
    func line(_ parts: String..., within limit: Duration = .seconds(30)) async throws -> LineBuffer.Line {
        do {
            return try await process.output.next(within: limit) { Self.line($0, holds: parts) }
        } catch {
            throw RigError("waiting for \(parts): \(error)")
        }
    }

    /// Whether a line holds all of `parts`.
    static func line(_ line: String, holds parts: [String]) -> Bool {
        let words = line.split(separator: " ")
        return parts.allSatisfy { part in words.contains { $0 == part || $0.hasPrefix(part + "/") } }
    }

    /// Ends it in order.
    func end() async { await process.end() }
}
