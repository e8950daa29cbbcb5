// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of thousands of small files in a single `transferctl get --input`.
@Suite(
    "transferctl get of many files, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct ManyFilesTests {
    /// The numbers of open descriptors and of threads of a process.
    private struct ResourceCounts {
        var descriptors: Int
        var threads: Int

        init(of process: pid_t) throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count
        }
    }

    private func write(_ urls: [String], to path: String) throws {
        try (urls.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func arrived(_ program: Transferctl) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: program.downloads).count { $0.hasPrefix("f") }) ?? 0
    }

    /// Waits until a number of files has arrived.
    private func waitForFiles(_ count: Int, in program: Transferctl) async throws {
        try await waitUntil("\(count) files have arrived", within: 120, watching: .files(in: program.downloads)) {
            arrived(program) >= count
        }
    }

    @Test("two thousand small files arrive with one request each; descriptors and threads do not grow")
    func twoThousand() async throws {
        let server = try await NginxServer()
        let count = 2000
        let served = try (0..<count).map { try server.serve("f\($0)", bytes: 16_384, seed: UInt64($0 + 1)) }
        let program = try Transferctl()
        let list = program.folder.path + "/list"
        try write((0..<count).map { server.url("f\($0)") }, to: list)
        let run = try program.start(["get", "--quiet", "--parallel", "8", "--input", list])
        try await waitForFiles(count / 4, in: program)
        let early = try ResourceCounts(of: run.process.id)
        try await waitForFiles(count * 9 / 10, in: program)
        let late = try ResourceCounts(of: run.process.id)
        #expect(try await run.process.wait(within: 120) == 0, "\(run.errors)")
        // Connections, partial files and threads come and go. Their number is bounded by the eight transfers that run
        // at the same time.
        #expect(late.descriptors <= early.descriptors + 24, "\(early.descriptors), then \(late.descriptors)")
        #expect(late.threads <= early.threads + 8, "\(early.threads), then \(late.threads)")
        for (index, path) in served.enumerated() where !RandomFile.same(program.downloads + "/f\(index)", path) {
            Issue.record("f\(index) differs from the served file")
        }
        #expect(server.requests().filter { $0.path != "/connections" }.count == count)
        #expect(arrived(program) == count)

        // A second run with the same list fetches nothing.
        let again = try await program.run(["get", "--quiet", "--input", list], within: 120)
        #expect(again.status == 0, "\(again.run.errors)")
        #expect(arrived(program) == count)
    }

    @Test("at most --parallel transfers run at the same time, even from one server", arguments: [1, 3])
    func parallel(_ limit: Int) async throws {
        let server = try await NginxServer(rate: 200_000)
        let program = try Transferctl()
        for number in 0..<7 { try server.serve("f\(number)", bytes: 60_000, seed: UInt64(number + 1)) }
        let (status, run) = try await program.run(
            ["get", "--json", "--parallel", "\(limit)"] + (0..<7).map { server.url("f\($0)") })
        #expect(status == 0, "\(run.errors)")
        var running = 0
        var most = 0
        for event in run.events {
            if event.name == "started" { running += 1 }
            if event.name == "finished" { running -= 1 }
            most = max(most, running)
        }
        #expect(most == limit)
    }
}
