// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A fixture with a real daemon on a private bus, a real server, and apps as real processes.
struct SessionFixture {
    let daemon: DaemonFixture
    let server: NginxServer

    init(rate: Int? = nil, programs: String? = nil) async throws {
        server = try await NginxServer(rate: rate)
        daemon = try await DaemonFixture(programs: programs) { folder in ["XDG_CACHE_HOME": folder + "/cache"] }
    }

    /// Runs `body`, then ends the daemon and its bus.
    static func with(
        rate: Int? = nil, programs: String? = nil, _ body: (SessionFixture) async throws -> Void
    ) async throws {
        let fixture = try await SessionFixture(rate: rate, programs: programs)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.daemon.end()
        try result.get()
    }

    /// The log of the app `name`.
    func log(_ name: String) -> AppLog { AppLog(path: daemon.program.folder.path + "/\(name).log") }

    /// The path of the built app. A copy at another path counts as another app.
    static let program = builtProgram("SessionApp")

    /// Starts an app. The test writes to the app's standard input.
    func app(_ name: String, program: String = SessionFixture.program, _ arguments: String...) throws -> App {
        try app(name, program: program, arguments)
    }

    /// Starts an app. The test writes to the app's standard input.
    func app(_ name: String, program: String = SessionFixture.program, _ arguments: [String]) throws -> App {
        let log = log(name)
        let process = try FixtureProcess([program, log.path] + arguments, environment: daemon.program.environment)
        return App(process: process, log: log)
    }

    /// Starts a daemon directly, on a bus that cannot start another daemon.
    static func daemonWithoutActivation(
        on bus: PrivateBus, program: String = DaemonFixture.daemonPath
    ) async throws -> (process: ChildProcess, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }
            .merging(["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path]) {
                $1
            }
        let process = try ChildProcess(program, [], environment: environment, output: folder.path + "/out")
        try await waitForText("on the bus", in: folder.path + "/out")
        return (process, folder)
    }

    /// Writes the daemon's settings. The daemon must not run yet.
    func configure(_ text: String) throws {
        let folder = daemon.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    /// Makes the bus able to start a program by a bus name.
    func makeActivatable(
        _ name: String, program: String = SessionFixture.program, _ arguments: [String], log: String
    ) async throws {
        let environment = daemon.program.environment.map { "\($0.key)=\($0.value)" }
        let words = ["/usr/bin/env"] + environment + [program, self.log(log).path] + arguments
        try "[D-BUS Service]\nName=\(name)\nExec=\(words.joined(separator: " "))\n".write(
            toFile: daemon.bus.serviceFolder + "/\(name).service", atomically: true, encoding: .utf8)
        // The bus notices new files after a moment. This call makes it read them immediately.
        try await FixtureProcess.run(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            ], environment: daemon.program.environment)
    }

    /// The manager's entry for an app, or empty if the manager lists no such app.
    func row(of app: String = SessionFixture.program) async throws -> [String: Any] {
        let rows = try await daemon.json("apps")["apps"] as? [[String: Any]] ?? []
        return rows.first { $0["app"] as? String == app } ?? [:]
    }

    /// Kills the daemon as a crash would, and returns its process id.
    @discardableResult
    func killDaemon() async throws -> pid_t {
        var process: pid_t?
        try await waitUntil("a daemon runs", within: 60) {
            // A daemon that was just killed may still be queried, but does not respond.
            process = (try? await daemon.process()) ?? nil
            return process != nil
        }
        guard let process else { throw FixtureError("no daemon runs") }
        kill(process, SIGKILL)
        return process
    }

    /// Waits until the bus knows that the daemon has ended. A connected app may start another daemon immediately.
    func waitForEnd(ofDaemon process: pid_t) async throws {
        try await waitUntil("the daemon \(process) has ended", within: 60) {
            guard let status = try? await daemon.json("service", "status") else { return false }
            return (status["process"] as? Int).map(pid_t.init) != process
        }
    }

    /// Waits until the bus knows that no daemon runs.
    func waitForEndOfDaemon() async throws {
        try await waitUntil("no daemon runs", within: 60) {
            guard let status = try? await daemon.json("service", "status") else { return false }
            return status["process"] as? Int == nil
        }
    }
}

/// The log file of an app.
struct AppLog {
    let path: String

    var lines: [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// The events that the app received, in order. Progress is left out, because it may or may not be reported. The
    /// app's lines about itself are left out, because they come from another thread.
    var events: [String] {
        let others = ["received ", "sent ", "began ", "continued ", "submitted "]
        return lines.filter { line in !others.contains { line.hasPrefix($0) } }
    }

    /// Kills the processes that wrote the log.
    func killAll() {
        for line in lines where line.hasPrefix("began ") {
            if let process = line.split(separator: " ").dropFirst().first.flatMap({ pid_t($0) }) {
                kill(process, SIGKILL)
            }
        }
    }

    /// Waits until the lines satisfy a condition.
    func wait(until what: String, within seconds: Double, _ condition: ([String]) -> Bool) async throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try await waitUntil("the app's log has \(what)", within: seconds, watching: .files(in: folder)) {
                condition(lines)
            }
        } catch { throw FixtureError("\(error)\n\(lines.joined(separator: "\n"))") }
    }

    /// Waits for the `count`th line that begins with `start`, and returns the line.
    @discardableResult
    func wait(for start: String, count: Int = 1, within seconds: Double = 60) async throws -> String {
        var found: String?
        try await wait(until: "'\(start)'", within: seconds) { lines in
            found = lines.filter { $0.hasPrefix(start) }.dropFirst(count - 1).first
            return found != nil
        }
        return found ?? ""
    }
}

/// A running app.
struct App {
    let process: FixtureProcess
    let log: AppLog

    func send(_ line: String) throws { try process.send(line) }

    /// Ends the app as a crash would, and waits for its end.
    func crash() async {
        kill(process.id, SIGKILL)
        await process.end()
    }
}

extension String {
    /// The first three words of a log line, which are equal in each run.
    var shortLine: String { split(separator: " ").prefix(3).joined(separator: " ") }
}
