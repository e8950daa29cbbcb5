// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl get` against a real nginx, run as a user runs it.
@Suite(
    "transferctl get, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct GetTests {
    @Test("a file arrives complete, its path is printed, and a second run downloads nothing")
    func arrivesAndIsComplete() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 5_000_000)
        let program = try Transferctl()
        let first = try await program.run(["get", server.url("file.bin")])
        #expect(first.status == 0, "\(first.run.errors)")
        #expect(first.run.output == program.downloads + "/file.bin\n")
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
        let sent = server.requests().map(\.bytesSent).reduce(0, +)
        #expect(sent == 5_000_000)

        let second = try await program.run(["get", server.url("file.bin")])
        #expect(second.status == 0)
        #expect(second.run.errors.contains("already complete"))
        #expect(server.requests().map(\.bytesSent).reduce(0, +) == sent)
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads) == ["file.bin"])

        // The server's file changes. The new file is fetched, and the first file is not overwritten.
        let changed = try server.serve("file.bin", bytes: 4_000_000, seed: 2)
        let third = try await program.run(["get", server.url("file.bin")])
        #expect(third.status == 0, "\(third.run.errors)")
        #expect(RandomFile.same(program.downloads + "/file (1).bin", changed))
    }

    @Test("after ten SIGKILLs, the same command gets the correct file and refetches at most 8 MiB per kill")
    func survivesKills() async throws {
        // The disk has four tenths of a second to save 8 MiB before the next bytes exceed them.
        let size = 96 << 20
        let server = try await NginxServer(rate: 20_000_000)
        let served = try server.serve("big.bin", bytes: size)
        let program = try Transferctl()
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &generator)
        print("seed \(seed)")
        var kills = 0
        for round in 0..<10 {
            let run = try program.start(["get", "--json", server.url("big.bin")])
            let threshold = Int64(round) * 7_500_000 + Int64((seed >> UInt64(round)) % 6_000_000)
            do {
                try await run.event("progress", within: 30) { ($0.fields["bytes"] as? Int64 ?? 0) > threshold }
            } catch  where run.process.exitStatus != nil {
                break
            }
            run.process.signal(SIGKILL)
            try await run.process.wait(within: 60)
            kills += 1
        }
        #expect(kills >= 5)
        let last = try await program.run(["get", server.url("big.bin")], within: 120)
        #expect(last.status == 0, "\(last.run.errors)")
        #expect(RandomFile.same(program.downloads + "/big.bin", served))
        let sent = server.requests().map(\.bytesSent).reduce(0, +)
        #expect(
            sent <= Int64(size + kills * (8 << 20)), "\(sent - Int64(size)) bytes were sent twice in \(kills) kills")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads) == ["big.bin"])
    }

    @Test("a duplicate transfer is rejected with the other's PID; another destination is accepted")
    func refusesTheSameTwice() async throws {
        let server = try await NginxServer(rate: 1_000_000)
        try server.serve("file.bin", bytes: 4_000_000)
        let program = try Transferctl()
        let first = try program.start(["get", "--json", server.url("file.bin")])
        try await first.event("the start", within: 60) { $0.name == "started" }
        let second = try await program.run(["get", server.url("file.bin")])
        #expect(second.status == 2)
        #expect(second.run.errors.contains("process \(first.process.id)"))
        let third = try await program.run(["get", "-o", "other.bin", server.url("file.bin")])
        #expect(third.status == 0, "\(third.run.errors)")
        #expect(try await first.process.wait(within: 60) == 0)
    }

    @Test("a list of URLs with file names is downloaded, and --on-complete runs for each")
    func fetchesLists() async throws {
        let server = try await NginxServer()
        let program = try Transferctl()
        var list = "# three files\n"
        var served: [String] = []
        for index in 0..<3 {
            served.append(try server.serve("f\(index)", bytes: 100_000 * index, seed: UInt64(index + 1)))
            list += "\(server.url("f\(index)"))\tout=g\(index)\n"
        }
        let path = program.folder.path + "/list"
        try list.write(toFile: path, atomically: true, encoding: .utf8)
        let log = program.folder.path + "/completed"
        let result = try await program.run([
            "get", "--input", path, "--on-complete",
            "echo \"$TRANSFER_RESULT $TRANSFER_STATUS $TRANSFER_PATH\" >> \(log)",
        ])
        #expect(result.status == 0, "\(result.run.errors)")
        for index in 0..<3 { #expect(RandomFile.same(program.downloads + "/g\(index)", served[index])) }
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").sorted()
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("finished 20") })
    }

    @Test("a file with a wrong checksum is discarded")
    func refusesWrongChecksum() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 100_000)
        let program = try Transferctl()
        let wrong = String(repeating: "0", count: 64)
        let result = try await program.run(["get", "--checksum", "sha256:\(wrong)", server.url("file.bin")])
        #expect(result.status == 1)
        #expect(result.run.errors.contains("sha256 is"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
    }

    @Test("--limit-rate applies to all transfers together")
    func limitsTheRate() async throws {
        let server = try await NginxServer()
        try server.serve("a", bytes: 1_500_000)
        try server.serve("b", bytes: 1_500_000)
        let program = try Transferctl()
        let start = ContinuousClock.now
        let result = try await program.run(["get", "--limit-rate", "1000000", server.url("a"), server.url("b")])
        let elapsed = ContinuousClock.now - start
        #expect(result.status == 0, "\(result.run.errors)")
        #expect(elapsed > .seconds(2.4), "\(elapsed)")
    }

    @Test("--limit-rate-each applies to each transfer; --yield does not slow down an idle network")
    func limitsEach() async throws {
        let server = try await NginxServer()
        try server.serve("a", bytes: 1_500_000)
        try server.serve("b", bytes: 1_500_000)
        let program = try Transferctl()
        let start = ContinuousClock.now
        let result = try await program.run(
            ["get", "--yield", "--limit-rate-each", "1000000", server.url("a"), server.url("b")])
        let elapsed = ContinuousClock.now - start
        #expect(result.status == 0, "\(result.run.errors)")
        #expect(elapsed > .seconds(1.2), "\(elapsed)")
    }

    @Test(
        "wrong usage ends with status 2 and a hint, before any request",
        arguments: [
            (["get"], "give a URL"), (["get", "ftp://127.0.0.1/x"], "unsupported URL scheme 'ftp'"),
            (["get", "http://"], "has no host"),
            (["get", "--by", "yesterday", "http://127.0.0.1/x"], "not a valid time"),
            (["get", "--not-before", "2001-01-01T00:00:00Z", "http://127.0.0.1/x"], "has passed"),
            (["get", "--policy", "nonsense", "http://127.0.0.1/x"], "unknown policy"),
            (["get", "--policy", "ladder:bat=-1", "http://127.0.0.1/x"], "bat=-1"),
            (["get", "--when", "sunshine", "http://127.0.0.1/x"], "unknown condition"),
            (["get", "--window", "Mon 7", "http://127.0.0.1/x"], "not a valid window"),
            (["get", "--checksum", "md5:00", "http://127.0.0.1/x"], "sha256:HEX"),
            (["get", "--assume", "power=sun", "http://127.0.0.1/x"], "power=ac"),
            (["get", "--limit-rate", "fast", "http://127.0.0.1/x"], "not a valid number of bytes"),
            (["get", "--parallel=257", "http://127.0.0.1/x"], "--parallel"),
            (["get", "--limit-rate-each", "0", "http://127.0.0.1/x"], "--limit-rate-each '0' must be more than 0"),
            (["get", "--input", "/nonexistent"], "cannot read"),
            (["get", "--overwrite", "--no-clobber", "http://127.0.0.1/x"], "mutually exclusive"),
            (["get", "--nonsense"], "Unknown option"),
        ])
    func wrongUsage(arguments: [String], expected: String) async throws {
        let program = try Transferctl()
        let result = try await program.run(arguments)
        #expect(result.status == 2)
        #expect(result.run.errors.contains(expected), "\(result.run.errors)")
        #expect(result.run.output.isEmpty)
    }
}
