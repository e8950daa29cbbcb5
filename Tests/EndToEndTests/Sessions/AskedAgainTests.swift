// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import SessionHarnesses
import Testing
import TransferPolicy
import TransferTesting

/// Stress tests of requests that receive no reply. Each test has 2 rounds, or `TRANSFER_QUESTION_ROUNDS`.
@Suite(
    "Requests that receive no reply",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct AskedAgainTests {
    private static let rounds = Int(ProcessInfo.processInfo.environment["TRANSFER_QUESTION_ROUNDS"] ?? "") ?? 2

    /// Runs `body` under load: one busy process for each processor, besides the other tests.
    private func underLoad(_ body: () async throws -> Void) async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let words = ["/bin/sh", "-c", "while :; do :; done"]
        let load = try (0..<count).map { _ in try FixtureProcess(words, environment: [:]) }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for process in load {
            kill(process.id, SIGKILL)
            await process.end()
        }
        try result.get()
    }

    @Test("T9: requests are repeated immediately on a busy machine after any process is killed at any time")
    func busy() async throws {
        try await underLoad {
            for _ in 0..<Self.rounds {
                try await SessionConformance { try await DaemonHarness(daemon: DaemonFixture.daemonPath) }.run(.t9)
            }
        }
    }

    @Test("T9: real programs and the daemon are killed at random moments; every task begins and ends")
    func killed() async throws {
        let seed = ProcessInfo.processInfo.environment["SESSION_RULE_SEED"].flatMap(UInt64.init)
        for _ in 0..<Self.rounds {
            let chosen = seed ?? .random(in: .min ... .max)
            print("SESSION_RULE_SEED=\(chosen)")
            try await SessionFixture.with { fixture in try await killAndWait(in: fixture, SplitMix64(seed: chosen)) }
        }
    }

    private func killAndWait(in fixture: SessionFixture, _ random: SplitMix64) async throws {
        var random = random
        let count = 6
        try fixture.server.serve("episode", bytes: 1000)
        let app = try fixture.app("app", "--session", "s", "--relaunch")
        defer { app.log.killAll() }
        try await app.log.wait(for: "opened")
        for _ in 1...count {
            let date = Double.random(in: 0.5...1.5, using: &random)
            try app.send("later \(date) \(fixture.server.url("episode"))")
        }
        try await app.log.wait(for: "submitted \(count)")
        for _ in 1...4 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
            if Bool.random(using: &random) {
                try await fixture.waitForEnd(ofDaemon: try await fixture.killDaemon())
                // A command makes the bus start the daemon.
                try await fixture.daemon.run("list")
            } else {
                app.log.killAll()
            }
        }
        await app.crash()
        // A program that was killed before its first reply is started again after a minute.
        try await app.log.wait(until: "all ends", within: 150) { lines in
            Set(lines.filter { $0.hasPrefix("completed ") }).count == count
        }
        #expect(
            Set(app.log.lines.filter { $0.hasPrefix("completed ") }) == Set((1...count).map { "completed \($0) 0" }))
    }
}
