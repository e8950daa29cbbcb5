// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A fixture with a private bus that starts the built daemon on the first call.
struct DaemonFixture {
    let bus: PrivateBus
    let program: Transferctl

    /// The path of the built daemon.
    static let daemonPath = builtProgram("transferd")

    /// - Parameters:
    ///   - programs: A folder with copies of `transferd` and `transferctl` that run instead of the built programs.
    ///   - settings: Further environment variables for the daemon alone. The closure receives the folder of the
    ///     program's state and files.
    init(programs: String? = nil, settings: (String) throws -> [String: String] = { _ in [:] }) async throws {
        bus = try await PrivateBus()
        var program = try Transferctl()
        if let programs { program.executable = programs + "/transferctl" }
        program.environment.merge(bus.sessionEnvironment) { $1 }
        // Results must not depend on the machine's real power supplies or network.
        program.environment.merge(bus.environment) { $1 }
        self.program = program
        // The bus inherits the environment of the tests. The daemon gets the fixture's environment from env(1).
        let environment = program.environment.merging(try settings(program.folder.path)) { $1 }
        let daemon = programs.map { $0 + "/transferd" } ?? Self.daemonPath
        let words = ["/usr/bin/env"] + environment.map { "\($0.key)=\($0.value)" } + [daemon]
        try "[D-BUS Service]\nName=org.transferd\nExec=\(words.joined(separator: " "))\n".write(
            toFile: bus.serviceFolder + "/org.transferd.service", atomically: true, encoding: .utf8)
    }

    /// Runs `body` with a daemon, then ends the daemon and its bus.
    static func with(
        settings: (String) throws -> [String: String] = { _ in [:] }, _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        let fixture = try await DaemonFixture(settings: settings)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.end()
        try result.get()
    }

    /// Runs a command to its end and checks its exit status.
    ///
    /// - Returns: The text on standard output, or on standard error if `status` is not 0, without newlines at its
    ///   ends.
    @discardableResult
    func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
        let result = try await program.run(arguments)
        guard result.status == status else {
            throw FixtureError("\(arguments) ended with \(result.status):\n\(result.run.errors)")
        }
        let text = status == 0 ? result.run.output : result.run.errors
        return text.trimmingCharacters(in: .newlines)
    }

    /// Runs a command with `--json` and returns the object that it prints.
    func json(_ arguments: String...) async throws -> [String: Any] {
        let result = try await program.run(arguments + ["--json"])
        guard let object = try JSONSerialization.jsonObject(with: Data(result.run.output.utf8)) as? [String: Any] else {
            throw FixtureError("\(arguments): \(result.run.output) \(result.run.errors)")
        }
        return object
    }

    /// The daemon's process id, or `nil` if the daemon does not run.
    func process() async throws -> pid_t? { (try await json("service", "status")["process"] as? Int).map(pid_t.init) }

    /// The name of a transfer's state.
    func state(of id: String) async throws -> String { try await transfer(id)["state"] as? String ?? "" }

    /// Returns the object of a transfer, as `transferctl list ID` prints it.
    func transfer(_ id: String) async throws -> [String: Any] {
        let transfers = try await json("list", id)["transfers"] as? [[String: Any]]
        guard let transfer = transfers?.first else { throw FixtureError("no transfer \(id)") }
        return transfer
    }

    /// Sends the running daemon a signal that ends it, and waits for its end.
    ///
    /// - Returns: The process id that the daemon had.
    @discardableResult
    func endDaemon(by signal: Int32 = SIGTERM) async throws -> pid_t {
        guard let process = try await process(), let end = Watch.end(of: process) else {
            throw FixtureError("no daemon runs")
        }
        kill(process, signal)
        try await waitUntil("the daemon ends", within: 60, watching: end) { end.isReadable }
        return process
    }

    /// Ends the daemon and the bus.
    func end() async {
        _ = try? await endDaemon()
        await bus.end()
    }
}
