// SPDX-License-Identifier: Apache-2.0

/// A rig's script: takes a command a line, answers each with a line that begins with "ok", or says what went wrong.
struct CommandedRig: Sendable {
    private let name: String
    private let process: RigProcess

    /// Starts `command`; `name` is for errors.
    init(_ name: String, _ command: [String], environment: [String: String] = [:]) throws {
        self.name = name
        process = try RigProcess(command, environment: environment)
    }

    /// Waits for an answer, without a question.
    @discardableResult
    func answer() async throws -> String {
        let answer = try await process.output.next().text
        guard answer.hasPrefix("ok") else { throw RigError("the \(name) rig says: \(answer)") }
        return String(answer.dropFirst(2).drop { $0 == " " })
    }

    /// Has a command carried out; returns what the answer holds beside "ok".
    @discardableResult
    func ask(_ command: String) async throws -> String {
        try process.send(command)
        return try await answer()
    }

    /// Ends the rig and what it started.
    func end() async { await process.end() }

    /// Why the scripts of Python cannot run here; nil when they can.
    static func missingModules(_ statement: String, _ words: String) -> String? {
        let isThere = (try? RigProcess.runBlocking(["/usr/bin/python3", "-c", statement])) != nil
        return isThere ? nil : "not installed: \(words)"
    }
}
