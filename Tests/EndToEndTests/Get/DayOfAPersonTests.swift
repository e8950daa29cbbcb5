// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import ProcessFixtures
import Testing
import TransferFiles

/// A day of a person with a laptop, with the whole programs.
@Suite("The day of a person")
struct DayOfAPersonTests {
    private static let text = "the whole file"
    private static let checksum = "sha256:" + ContentDigest.sha256(of: text)

    /// Runs a test with a server whose every path is the same file, without a version.
    private func withServer(_ body: (HostileServer, Transferctl) async throws -> Void) async throws {
        let server = try HostileServer { _, connection in connection.respond("200 OK", body: Self.text.utf8) }
        defer { server.stop() }
        try await body(server, try Transferctl())
    }

    private func files(_ program: Transferctl) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: program.downloads).sorted()
    }

    @Test("A file with the right checksum is not downloaded again, whichever door names the checksum")
    func alreadyComplete() async throws {
        try await withServer { server, program in
            let list = program.folder.path + "/list"
            try "\(server.url("/a.pdf"))\tchecksum=\(Self.checksum)\n".write(
                toFile: list, atomically: true, encoding: .utf8)
            let sums = program.folder.path + "/SHA256SUMS"
            try "\(Self.checksum.dropFirst(7))  a.pdf\n".write(toFile: sums, atomically: true, encoding: .utf8)
            let doors = [
                [server.url("/a.pdf"), "--checksum", Self.checksum], ["--input", list],
                [server.url("/a.pdf"), "--checksums", sums],
                [server.url("/a.pdf"), "--checksums", sums, "--overwrite"],
            ]
            for (index, door) in (doors + doors).enumerated() {
                let (status, run) = try await program.run(["get"] + door)
                #expect(status == 0 && run.errors.contains("already complete") == (index > 0), "\(run.errors)")
            }
            #expect(server.requests.count == 1)
            #expect(try files(program) == ["a.pdf"])
            let plan = try await program.run(["get", "-n"] + doors[0])
            #expect(plan.run.output.contains("is complete: its checksum is right"), "\(plan.run.output)")
        }
    }

    @Test(
        "The daemon downloads a file again only if it has changed",
        .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
    func daemon() async throws {
        let server = try HostileServer { ServedFile(bytes: Array(Self.text.utf8)).serve($0, $1) }
        defer { server.stop() }
        let fixture = try await DaemonFixture()
        func add(_ options: String...) async throws {
            let result = try await fixture.program.run(["add", "--wait", server.url("/a.pdf")] + options)
            #expect(result.status == 0, "\(result.run.errors)")
        }
        let result: Result<[String], any Error>
        do {
            try await add()
            try await add()
            try await add("--checksum", Self.checksum)
            result = .success(try files(fixture.program))
        } catch { result = .failure(error) }
        await fixture.end()
        #expect(try result.get() == ["a.pdf"])
    }

    @Test("A refused connection is told once, with the time until the next attempt and the number of attempts")
    func refused() async throws {
        let program = try Transferctl()
        let (status, run) = try await program.run([
            "get", "--retries", "1", "http://127.0.0.1:9/x", "http://127.0.0.1:9/y",
        ])
        #expect(status == 1)
        #expect(
            run.errors.contains("x: 127.0.0.1:9 refused the connection; retrying in "), "\(run.errors)")
        #expect(run.errors.contains(" s (2 of 2)\n"))
        #expect(run.errors.contains("0 done, 2 failed\n  failed: http://127.0.0.1:9/"), "\(run.errors)")
    }

    private static let onBattery = ["--discretionary", "--assume", "power=battery,network=wifi,metered=no"]

    @Test(
        "A hold of the daemon also holds a command that waits for conditions, and its release starts the command",
        .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
    func hold() async throws {
        let server = try HostileServer { _, connection in connection.respond("200 OK", body: Self.text.utf8) }
        defer { server.stop() }
        let fixture = try await DaemonFixture()
        let result: Result<Int32, any Error>
        do {
            try await fixture.run("hold", "--until", "tonight", "--reason", "a call")
            let run = try fixture.program.start([
                "get", "--discretionary", "--assume", "power=ac,network=wifi,metered=no", server.url("/f"),
            ])
            try await run.waitForMessage("waiting: on hold since ")
            #expect(run.errors.contains("a call") && server.requests.isEmpty, "\(run.errors)")
            try await fixture.run("release")
            result = .success(try await run.process.wait(within: 60))
        } catch { result = .failure(error) }
        await fixture.end()
        #expect(try result.get() == 0)
    }

    @Test("What an interrupted command left delays neither a dry run nor the reasons of another; --resume continues it")
    func interrupted() async throws {
        try await withServer { server, program in
            let list = program.folder.path + "/list"
            try (0..<40).map { server.url("/f\($0)") }.joined(separator: "\n").write(
                toFile: list, atomically: true, encoding: .utf8)
            let first = try program.start(["get", "--input", list] + Self.onBattery)
            try await first.waitForMessage("40 files: waiting: on battery")
            first.process.signal(SIGINT)
            #expect(try await first.process.wait(within: 60) == 130)

            let plan = try await program.run(["get", "-n", "--input", list] + Self.onBattery)
            #expect(plan.run.output.components(separatedBy: "would wait: on battery").count == 41, "\(plan.run.output)")
            let begun = ContinuousClock.now
            let other = try program.start(["get", server.url("/other")] + Self.onBattery)
            try await other.waitForMessage("other: waiting: on battery")
            #expect(ContinuousClock.now - begun < .seconds(1 + Tolerance.seconds))
            other.process.signal(SIGINT)
            #expect(try await other.process.wait(within: 60) == 130)

            let (status, run) = try await program.run([
                "get", "--resume", "--assume", "power=ac,network=wifi,metered=no",
            ])
            #expect(status == 0, "\(run.errors)")
            #expect(run.errors.contains("41 done"), "\(run.errors)")
            #expect(try files(program).count == 41)
            #expect(try await program.run(["get", "--resume"]).run.errors == "No interrupted downloads.\n")
        }
    }
}
