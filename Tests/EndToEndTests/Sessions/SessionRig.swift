// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation

/// A real daemon on a bus of its own, a real server, and apps as real processes.
struct SessionRig {
    let daemon: DaemonRig
    let server: NginxServer

    init(rate: Int? = nil, programs: String? = nil) async throws {
        server = try NginxServer(rate: rate)
        daemon = try await DaemonRig(programs: programs) { folder in ["XDG_CACHE_HOME": folder + "/cache"] }
    }

    /// Runs `body`, and ends all that it started.
    static func with(
        rate: Int? = nil, programs: String? = nil, _ body: (SessionRig) async throws -> Void
    ) async throws {
        let rig = try await SessionRig(rate: rate, programs: programs)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.daemon.end()
        try result.get()
    }

    /// Where an app of that name writes what happens to it.
    func log(_ name: String) -> AppLog { AppLog(path: daemon.program.folder.path + "/\(name).log") }

    /// The built program, or a copy of it, which is another app.
    static let program = URL(fileURLWithPath: Transferctl.path).deletingLastPathComponent()
        .appendingPathComponent("SessionApp").resolvingSymlinksInPath().path

    /// Starts an app, with standard input at the test's hand.
    func app(_ name: String, program: String = SessionRig.program, _ arguments: String...) throws -> App {
        try app(name, program: program, arguments)
    }

    /// The same.
    func app(_ name: String, program: String = SessionRig.program, _ arguments: [String]) throws -> App {
        let log = log(name)
        let process = try RigProcess([program, log.path] + arguments, environment: daemon.program.environment)
        return App(process: process, log: log)
    }

    /// A daemon that was started by hand, and that nobody starts again.
    static func daemonWithoutActivation(on bus: PrivateBus) async throws -> (
        process: ChildProcess, folder: TemporaryFolder
    ) {
        let folder = try TemporaryFolder()
        let program = DaemonRig.daemonPath
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }
            .merging(["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path]) {
                $1
            }
        let process = try ChildProcess(program, [], environment: environment, output: folder.path + "/out")
        let output = folder.path + "/out"
        try waitUntil("the daemon is on the bus", within: 60) {
            (try? String(contentsOfFile: output, encoding: .utf8))?.contains("on the bus") == true
        }
        return (process, folder)
    }

    /// Writes the daemon's settings; it must not run yet.
    func configure(_ text: String) throws {
        let folder = daemon.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    /// Has the bus start a program by that name.
    func makeActivatable(
        _ name: String, program: String = SessionRig.program, _ arguments: [String], log: String
    ) async throws {
        let environment = daemon.program.environment.map { "\($0.key)=\($0.value)" }
        let words = ["/usr/bin/env"] + environment + [program, self.log(log).path] + arguments
        try "[D-BUS Service]\nName=\(name)\nExec=\(words.joined(separator: " "))\n".write(
            toFile: daemon.bus.serviceFolder + "/\(name).service", atomically: true, encoding: .utf8)
        // The bus notices files by itself, in a moment; asked for it, at once.
        try await RigProcess.run(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            ], environment: daemon.program.environment)
    }

    /// What the manager lists of an app.
    func row(of app: String = SessionRig.program) throws -> [String: Any] {
        let rows = try daemon.json("apps")["apps"] as? [[String: Any]] ?? []
        return rows.first { $0["app"] as? String == app } ?? [:]
    }

    /// Kills the daemon as a crash would, and returns its process id.
    @discardableResult
    func killDaemon() throws -> pid_t {
        var process: pid_t?
        try waitUntil("a daemon runs", within: 60) {
            // One that was killed just now may be asked, and answers nothing.
            process = (try? daemon.process()) ?? nil
            return process != nil
        }
        guard let process else { throw TestTrouble("no daemon runs") }
        kill(process, SIGKILL)
        return process
    }

    /// Waits until the bus knows that a daemon has gone; a connected app may have another one started at once.
    func waitForEnd(ofDaemon process: pid_t) throws {
        try waitUntil("the daemon \(process) has gone", within: 60) {
            guard let status = try? daemon.json("service", "status") else { return false }
            return (status["process"] as? Int).map(pid_t.init) != process
        }
    }

    /// Waits until the bus knows that no daemon runs.
    func waitForEndOfDaemon() throws {
        try waitUntil("no daemon runs", within: 60) {
            guard let status = try? daemon.json("service", "status") else { return false }
            return status["process"] as? Int == nil
        }
    }
}

/// What an app wrote.
struct AppLog {
    let path: String

    var lines: [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// What the app was told, in order: no progress, which may come or not, and not what it says of itself, which comes from
    /// another thread.
    var events: [String] {
        let others = ["received ", "sent ", "began ", "continued ", "submitted "]
        return lines.filter { line in !others.contains { line.hasPrefix($0) } }
    }

    /// Kills the processes that wrote it.
    func killAll() {
        for line in lines where line.hasPrefix("began ") {
            if let process = line.split(separator: " ").dropFirst().first.flatMap({ pid_t($0) }) {
                kill(process, SIGKILL)
            }
        }
    }

    /// Waits for a line that begins so, after so many of them.
    @discardableResult
    func wait(for start: String, count: Int = 1, within seconds: Double = 120) throws -> String {
        var found: String?
        do {
            try waitUntil("'\(start)' in the app's log", within: seconds) {
                found = lines.filter { $0.hasPrefix(start) }.dropFirst(count - 1).first
                return found != nil
            }
        } catch {
            throw TestTrouble("\(error)\n\(lines.joined(separator: "\n"))")
        }
        return found ?? ""
    }
}

/// An app that runs.
struct App {
    let process: RigProcess
    let log: AppLog

    func send(_ line: String) throws { try process.send(line) }

    /// Ends it as a crash would, and waits for that.
    func crash() async {
        kill(process.id, SIGKILL)
        await process.end()
    }
}

extension String {
    /// The words of a line that are the same in each run.
    var shortLine: String { split(separator: " ").prefix(3).joined(separator: " ") }
}
