// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures

/// A user's session in which the examples of a document run, one after another: a home folder, a private bus that
/// starts the daemon, and a server that stands for every address in the document.
struct GuideSession {
    private let fixture: DaemonFixture
    private let server: HostileServer
    private let environment: [String: String]

    init() async throws {
        let zone = Self.timeZone(at: Date())
        fixture = try await DaemonFixture { home in Self.environment(home: home, zone: zone) }
        environment = fixture.program.environment.merging(
            Self.environment(home: fixture.program.folder.path, zone: zone)
        ) { $1 }
        server = try HostileServer { request, connection in
            if request.method == "GET" || request.method == "HEAD" {
                connection.respond("200 OK", [], body: [UInt8](repeating: 7, count: 3_000_000))
            } else if connection.readBody(of: request) != nil {
                connection.respond("201 Created", ["Content-Type: text/plain"], body: "created\n".utf8)
            }
        }
    }

    func end() async {
        await fixture.end()
        server.stop()
    }

    /// Runs an example and describes each difference from what its document shows, in a sentence.
    func faults(of example: GuideExample) async throws -> [String] {
        for command in example.setup {
            let (status, output) = try await run(GuideExample.Command(text: command))
            guard status == 0 else { return ["\(example): the setup '\(command)' ended with \(status):\n\(output)"] }
        }
        var faults: [String] = []
        for command in example.commands {
            let (status, output) = try await run(command)
            if command.output.isEmpty {
                if status != 0 { faults.append("\(example): '\(command.text)' ended with \(status):\n\(output)") }
            } else if !Self.shows(command.output, output.split(separator: "\n").map(String.init)) {
                let shown = command.output.joined(separator: "\n")
                faults.append("\(example): '\(command.text)' printed\n\(output)\ninstead of\n\(shown)")
            }
        }
        return faults
    }

    /// Runs a command in a shell, in the folder of the downloads, and returns its exit status and everything that it
    /// printed.
    private func run(_ command: GuideExample.Command) async throws -> (Int32, String) {
        let log = fixture.program.folder.path + "/shell"
        try? FileManager.default.removeItem(atPath: log)
        let text = command.text.replacing(/https?:\/\/(example\.org|127\.0\.0\.1:876[0-9])\//, with: server.url("/"))
        // A command may change the folder for those after it. A command that is interrupted replaces the shell, so that
        // the signal reaches the command.
        let folder = fixture.program.folder.path + "/folder"
        let current = (try? String(contentsOfFile: folder, encoding: .utf8)) ?? fixture.program.downloads
        let script =
            command.interruptAfter == nil ? "trap 'printf %s \"$PWD\" > \(folder)' EXIT\n\(text)" : "exec \(text)"
        let process = try ChildProcess(
            "/bin/bash", ["-c", script], environment: environment,
            output: log, directory: current)
        func output() -> String {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            return text.replacing(fixture.program.downloads, with: "/tmp/downloads")
                .replacing(fixture.program.folder.path, with: "~")
        }
        if let lines = command.interruptAfter {
            let watch = try Watch.files(in: fixture.program.folder.path)
            try await waitUntil(
                "'\(command.text)' has printed \(lines) lines", within: 60, watching: watch, process.ending
            ) {
                output().count { $0 == "\n" } >= lines || process.exitStatus != nil
            }
            process.signal(SIGINT)
        }
        return (try await process.wait(within: 120), output())
    }

    /// The environment of the commands and of the daemon, as a user has it in a fresh home folder.
    private static func environment(home: String, zone: String) -> [String: String] {
        let programs = builtFolder
        return [
            "HOME": home, "PATH": "\(programs):/usr/local/bin:/usr/bin:/bin", "PROJECT": GuideTests.top, "TZ": zone,
            "XDG_STATE_HOME": home + "/.local/state", "XDG_DATA_HOME": home + "/.local/share",
        ]
    }

    /// The time zone in which it is afternoon or evening now, so that windows of the night are closed.
    private static func timeZone(at now: Date) -> String {
        let hour = Int(now.timeIntervalSince1970) / 3600 % 24
        let offset = hour > 6 ? 20 - max(hour, 8) : 14 - 2 + hour - 6
        return "Etc/GMT\(offset > 0 ? "-" : "+")\(abs(min(max(offset, -12), 14)))"
    }

    /// Returns whether a document shows what a command printed. A line that ends in "…" stands for any line with that
    /// beginning, and "…" alone for all lines that follow.
    private static func shows(_ shown: [String], _ real: [String]) -> Bool {
        let end = shown.firstIndex(of: "…")
        guard end.map({ $0 <= real.count }) ?? (shown.count == real.count) else { return false }
        return zip(shown[..<(end ?? shown.count)], real).allSatisfy { shown, real in
            let (shown, real) = (pattern(shown), pattern(real))
            return shown.hasSuffix("…") ? real.hasPrefix(shown.dropLast()) : shown == real
        }
    }

    /// The line with days, months, and digits replaced by signs that are always equal.
    private static func pattern(_ line: String) -> String {
        line.replacing(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/, with: "Day")
            .replacing(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/, with: "Month")
            .replacing(/[0-9]+/, with: "0")
    }
}
