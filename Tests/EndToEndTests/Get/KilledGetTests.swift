// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of kills between the renaming of a finished file and the record of the renaming.
@Suite(
    "transferctl get killed while a file is renamed",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"),
    .enabled(if: Tracing.isPossible, "strace is missing or may not trace here: apt-get install strace"))
struct KilledGetTests {
    /// The process that is killed. With `program`, the workers are killed as well.
    enum Victim: CaseIterable { case program, worker }

    @Test("the file is downloaded once and has its own name", arguments: Victim.allCases)
    func killed(_ victim: Victim) async throws {
        let server = try await NginxServer()
        let served = try server.serve("f", bytes: 16_384, seed: 1)
        var program = try Transferctl()
        let fetch = ["get", "--quiet", server.url("f")]
        // strace delays the return of the renaming by three seconds, so the kill comes after the renaming and before
        // its return.
        program.prefix = [
            "/usr/bin/strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=renameat2", "-e",
            "inject=renameat2:delay_exit=3000000",
        ]
        let run = try program.start(fetch)
        let path = program.downloads + "/f"
        try await waitUntil("the file has its name", within: 60, watching: .files(in: program.downloads)) {
            FileManager.default.fileExists(atPath: path)
        }
        let workers = Self.children(of: run.process.id)
        try #require(!workers.isEmpty)
        switch victim {
        case .program:
            run.process.signal(SIGKILL)
            for worker in workers { kill(worker, SIGKILL) }
            try await run.process.wait(within: 60)
            program.prefix = []
            let again = try await program.run(fetch)
            #expect(again.status == 0, "\(again.run.errors)")
        case .worker:
            for worker in workers { kill(worker, SIGKILL) }
            #expect(try await run.process.wait(within: 60) == 0, "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads) == ["f"])
        #expect(RandomFile.same(path, served))
        #expect(server.requests().filter { $0.path == "/f" }.count == 1)
        // No partial file is left once the end of the transfer was saved.
        let left = FileManager.default.enumerator(atPath: program.folder.path + "/state")?.compactMap { "\($0)" } ?? []
        #expect(left.allSatisfy { !$0.hasSuffix(".part") && !$0.hasSuffix(".placed") }, "\(left)")
    }

    /// Returns the child processes of a process.
    private static func children(of process: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { number in
            // The parent is the second word after the program's name, which is in parentheses.
            let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            let words = text?.split(separator: ")").last?.split(separator: " ") ?? []
            return words.count > 1 && pid_t(words[1]) == process
        }
    }
}

/// A check for a working strace.
private enum Tracing {
    static let isPossible: Bool = {
        let child = try? ChildProcess("/usr/bin/strace", ["-o", "/dev/null", "true"], output: "/dev/null")
        return child?.waitOnThisThread() == 0
    }()
}
