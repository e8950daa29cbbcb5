// SPDX-License-Identifier: Apache-2.0

/// A fixture script that reads one command per line, and answers each with a line that begins
/// with "ok" or with an error.
struct CommandedRig: Sendable {
    private let name: String
    private let process: RigProcess

    /// Starts `command`. `name` appears in errors.
    init(_ name: String, _ command: [String], environment: [String: String] = [:]) throws {
        self.name = name
        process = try RigProcess(command, environment: environment)
    }

    /// Waits for an answer without sending a command.
    @discardableResult
    func answer() async throws -> String {
        let answer = try await process.output.next().text
        guard answer.hasPrefix("ok") else { throw RigError("the \(name) rig says: \(answer)") }
        return String(answer.dropFirst(2).drop { $0 == " " })
    }

    /// Sends a command and returns the answer without "ok".
    @discardableResult
    func ask(_ command: String) async throws -> String {
        try process.send(command)
        return try await answer()
    }

    /// Ends the script and every process it started.
    func end() async { await process.end() }

    /// Returns the reason Python scripts cannot run here, or `nil` if they can.
    ///
    /// - Parameters:
    ///   - statement: The import statement to try.
    ///   - words: The names of the modules for the reason.
    static func missingModules(_ statement: String, _ words: String) -> String? {
        let isThere = (try? RigProcess.runBlocking(["/usr/bin/python3", "-c", statement])) != nil
        return isThere ? nil : "not installed: \(words)"
    }
}
