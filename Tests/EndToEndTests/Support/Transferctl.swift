// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The built program under test, run as its user runs it.
struct Transferctl {
    /// One object of `--json`.
    struct Event {
        var name: String
        var fields: [String: Any]

        /// The codes of its reasons.
        var reasons: [String] { (fields["reasons"] as? [[String: Any]])?.compactMap { $0["code"] as? String } ?? [] }
        /// The sources of its reasons.
        var sources: [String] { (fields["reasons"] as? [[String: Any]])?.compactMap { $0["source"] as? String } ?? [] }
        /// When it happened, in seconds since 1970.
        var time: Double {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            return (fields["time"] as? String).flatMap(formatter.date(from:))?.timeIntervalSince1970 ?? 0
        }
    }

    /// A run that has begun.
    final class Run: Sendable {
        let process: ChildProcess
        let folder: TemporaryFolder

        init(process: ChildProcess, folder: TemporaryFolder) {
            self.process = process
            self.folder = folder
        }

        /// What it wrote to standard output.
        var output: String { (try? String(contentsOfFile: folder.path + "/out", encoding: .utf8)) ?? "" }
        /// What it wrote to standard error.
        var errors: String { (try? String(contentsOfFile: folder.path + "/err", encoding: .utf8)) ?? "" }

        /// The objects of `--json` so far.
        var events: [Event] {
            output.split(separator: "\n").compactMap { line in
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let name = object["event"] as? String
                else { return nil }
                return Event(name: name, fields: object)
            }
        }

        /// Waits for an event that `condition` holds for.
        @discardableResult
        func event(
            _ what: String, within seconds: Double, after index: Int = 0, where condition: (Event) -> Bool
        ) throws -> (index: Int, event: Event) {
            var found: (Int, Event)?
            do {
                try waitUntil(what, within: seconds) {
                    // Asked first: what it writes last is read all the same.
                    let hasEnded = process.exitStatus != nil
                    found = events.enumerated().first { $0.offset >= index && condition($0.element) }
                        .map { ($0.offset, $0.element) }
                    return found != nil || hasEnded
                }
            } catch {
                throw TestTrouble("\(error)\n\(output.suffix(3000))\n\(errors.suffix(2000))")
            }
            guard let found else { throw TestTrouble("it ended without: \(what)\n\(output.suffix(3000))\n\(errors)") }
            return found
        }
    }

    /// The built program, beside the tests that were built with it.
    static let path: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? Bundle.main.bundlePath
        let folders = [URL(fileURLWithPath: bundle).deletingLastPathComponent().path, Bundle.main.bundlePath]
        return folders.map { $0 + "/transferctl" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            ?? folders[0] + "/transferctl"
    }()

    /// Keeps state and destinations of the runs that belong together.
    let folder: TemporaryFolder
    var environment: [String: String]
    /// The program that runs: the built one, or a copy of it.
    var executable = Transferctl.path
    /// What stands before the program, to run it in a namespace.
    var prefix: [String] = []

    init(environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        self.environment = environment
        // Away from the system's bus unless a rig gives another: results must not depend on the machine's services.
        if environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil {
            self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(folder.path)/no-bus"
        }
        if environment["DBUS_SESSION_BUS_ADDRESS"] == nil {
            self.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path)/no-session-bus"
        }
        self.environment["XDG_STATE_HOME"] = folder.path + "/state"
        self.environment["XDG_CONFIG_HOME"] = folder.path + "/config"
        try FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
    }

    /// Where files arrive.
    var downloads: String { folder.path + "/downloads" }

    /// Begins a run in the downloads folder, its standard output in a file of its own unless `output` names one.
    func start(_ arguments: [String], output: String? = nil) throws -> Run {
        let own = try TemporaryFolder()
        let words = prefix + [executable] + arguments
        let process = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: environment, output: output ?? own.path + "/out",
            errors: own.path + "/err", directory: downloads)
        return Run(process: process, folder: own)
    }

    /// Runs to the end.
    func run(_ arguments: [String], within seconds: Double = 240) throws -> (status: Int32, run: Run) {
        let run = try start(arguments)
        do {
            return (try run.process.wait(within: seconds), run)
        } catch {
            throw TestTrouble("\(error)\n\(run.output.suffix(3000))\n\(run.errors.suffix(2000))")
        }
    }
}
