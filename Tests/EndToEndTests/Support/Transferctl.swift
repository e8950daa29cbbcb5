// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// The built `transferctl` program, run as a user runs it.
struct Transferctl {
    /// An object of the `--json` output.
    struct Event {
        var name: String
        var fields: [String: Any]

        /// The codes of the event's wait reasons.
        var reasons: [String] { (fields["reasons"] as? [[String: Any]])?.compactMap { $0["code"] as? String } ?? [] }
        /// The sources of the event's wait reasons.
        var sources: [String] { (fields["reasons"] as? [[String: Any]])?.compactMap { $0["source"] as? String } ?? [] }
        /// The time of the event, in seconds since 1970.
        var time: Double {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            return (fields["time"] as? String).flatMap(formatter.date(from:))?.timeIntervalSince1970 ?? 0
        }
    }

    /// A run that has been started.
    final class Run: Sendable {
        let process: ChildProcess
        let folder: TemporaryFolder

        init(process: ChildProcess, folder: TemporaryFolder) {
            self.process = process
            self.folder = folder
        }

        /// The text on standard output so far.
        var output: String { (try? String(contentsOfFile: folder.path + "/out", encoding: .utf8)) ?? "" }
        /// The text on standard error so far.
        var errors: String { (try? String(contentsOfFile: folder.path + "/err", encoding: .utf8)) ?? "" }

        /// The objects of the `--json` output so far.
        var events: [Event] {
            output.split(separator: "\n").compactMap { line in
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let name = object["event"] as? String
                else { return nil }
                return Event(name: name, fields: object)
            }
        }

        /// Waits for `condition`, which is evaluated again when the run prints something.
        ///
        /// - Throws: `FixtureError` with the output if the run ends before.
        func waitUntil(_ what: String, within seconds: Double, _ condition: () -> Bool) async throws {
            var (isMet, hasEnded) = (false, false)
            do {
                let watch = try Watch.files(in: folder.path)
                try await ProcessFixtures.waitUntil(what, within: seconds, watching: watch, process.ending) {
                    // The end is read before the output, so that output just before the end is not missed.
                    hasEnded = process.exitStatus != nil
                    isMet = condition()
                    return isMet || hasEnded
                }
            } catch {
                throw FixtureError("\(error)\n\(output.suffix(3000))\n\(errors.suffix(2000))")
            }
            guard isMet else { throw FixtureError("exited without: \(what)\n\(output.suffix(3000))\n\(errors)") }
        }

        /// Waits until the messages contain a text.
        func waitForMessage(_ text: String, within seconds: Double = 60) async throws {
            try await waitUntil("'\(text)' is printed", within: seconds) { errors.contains(text) }
        }

        /// Waits for the first event at `index` or later that satisfies `condition`.
        @discardableResult
        func event(
            _ what: String, within seconds: Double, after index: Int = 0, where condition: (Event) -> Bool
        ) async throws -> (index: Int, event: Event) {
            var found: (Int, Event)?
            try await waitUntil(what, within: seconds) {
                found = events.enumerated().first { $0.offset >= index && condition($0.element) }
                    .map { ($0.offset, $0.element) }
                return found != nil
            }
            return try #require(found)
        }
    }

    /// The path of the built program.
    static let path = builtProgram("transferctl")

    /// The folder of the state, the configuration, and the downloads of all runs.
    let folder: TemporaryFolder
    var environment: [String: String]
    /// The program to run: the built program or a copy of it.
    var executable = Transferctl.path
    /// The words before the program, which run it in a namespace for example.
    var prefix: [String] = []

    init(environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        self.environment = environment
        // Keeps the program away from the system's buses unless a fixture provides a bus. Results must not depend on
        // the machine's services.
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

    /// The folder for finished downloads. Each run has it as its working directory.
    var downloads: String { folder.path + "/downloads" }

    /// Starts a run in the downloads folder. Standard output goes to a new file unless `output` names another.
    func start(_ arguments: [String], output: String? = nil) throws -> Run {
        let own = try TemporaryFolder()
        let words = prefix + [executable] + arguments
        let process = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: environment, output: output ?? own.path + "/out",
            errors: own.path + "/err", directory: downloads)
        return Run(process: process, folder: own)
    }

    /// Runs the program to its end.
    func run(_ arguments: [String], within seconds: Double = 120) async throws -> (status: Int32, run: Run) {
        let run = try start(arguments)
        do {
            return (try await run.process.wait(within: seconds), run)
        } catch {
            throw FixtureError("\(error)\n\(run.output.suffix(3000))\n\(run.errors.suffix(2000))")
        }
    }
}
