// SPDX-License-Identifier: Apache-2.0
import ProcessFixtures

/// A fixture script that reads one command per line, and replies to each with a line that begins
/// with "ok" or with an error.
struct CommandedFixture: Sendable {
    private let name: String
    private let process: FixtureProcess

    /// Starts `command`. `name` appears in errors.
    init(_ name: String, _ command: [String], environment: [String: String] = [:]) throws {
        self.name = name
        process = try FixtureProcess(command, environment: environment)
    }

    /// Waits for a reply without sending a command.
    @discardableResult
    func reply() async throws -> String {
        let reply = try await process.output.next().text
        guard reply.hasPrefix("ok") else { throw FixtureError("the \(name) fixture failed: \(reply)") }
        return String(reply.dropFirst(2).drop { $0 == " " })
    }

    /// Sends a command and returns the reply without "ok".
    @discardableResult
    func perform(_ command: String) async throws -> String {
        try process.send(command)
        return try await reply()
    }

    /// Ends the script and every process it started.
    func end() async { await process.end() }

    /// Returns the reason Python scripts cannot run here, or `nil` if they can.
    ///
    /// - Parameters:
    ///   - statement: The import statement to try.
    ///   - words: The names of the modules for the reason.
    static func missingModules(_ statement: String, _ words: String) -> String? {
        let isInstalled = FixtureProcess.succeeds(["/usr/bin/python3", "-c", statement])
        return isInstalled ? nil : "not installed: \(words)"
    }
}
