// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing
import TransferPolicy

/// Tests of the sample `podcasts` as an installed program.
///
/// The random tests have 10 rounds, or `TRANSFER_PODCAST_ROUNDS`, and a random seed, or `TRANSFER_SEED`.
@Suite(
    "The podcast fetcher",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct PodcastsTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let rounds = Int(variables["TRANSFER_PODCAST_ROUNDS"] ?? "") ?? 10
    private static let seed = UInt64(variables["TRANSFER_SEED"] ?? "") ?? .random(in: 1...1_000_000)

    /// Waits until the library is complete, all events are handled, and the app has ended.
    private func waitForEnd(_ fixture: PodcastsFixture, _ sources: [String]) async throws {
        do {
            try await waitUntil("all episodes are in the library", within: 120) { fixture.holds(sources) }
            try await waitUntil("all events are handled", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 0
            }
            try await waitUntil("the app ends", within: 60) { fixture.processes.isEmpty }
        } catch { throw FixtureError("\(error)\n\(fixture.files)\n\(try await fixture.row())") }
    }

    @Test("It exits, is started by the bus when its episodes are there, moves them, and fetches only new ones later")
    func fetches() async throws {
        try await PodcastsFixture.with(rate: 200_000) { fixture in
            let sources = try fixture.publish(4, bytes: 1_000_000)
            #expect(try await fixture.run("fetch", fixture.feed) == "4 new episodes\n")
            // A second fetch while the downloads run finds nothing new.
            #expect(try await fixture.run("fetch", fixture.feed) == "0 new episodes\n")
            #expect(fixture.files.isEmpty)
            try await waitForEnd(fixture, sources)
            let row = try await fixture.row()
            #expect(row["launches"] as? Int == 1)
            #expect(row["bus-name"] as? String == PodcastsFixture.name)
            #expect(row["failures"] as? Int == 0)
            #expect(try await fixture.run("list") == (1...4).map { fixture.episode($0) + "\n" }.joined())

            #expect(try await fixture.run("fetch", fixture.feed) == "0 new episodes\n")
            try fixture.publish(5, bytes: 1_000_000)
            #expect(try await fixture.run("fetch", fixture.feed) == "1 new episodes\n")
            try await waitUntil("the new episode", within: 120) { fixture.files.count == 5 }
            #expect(try fixture.superfluousBytes(of: 5, bytes: 1_000_000) == 0)
        }
    }

    @Test("A missing episode is reported, leaves no file, and is tried again by the next fetch")
    func missing() async throws {
        try await PodcastsFixture.with { fixture in
            let sources = try fixture.publish(2, bytes: 10_000)
            try FileManager.default.moveItem(atPath: sources[1], toPath: sources[1] + ".away")
            #expect(try await fixture.run("fetch", fixture.feed) == "2 new episodes\n")
            try await waitForEnd(fixture, [sources[0]])
            try FileManager.default.moveItem(atPath: sources[1] + ".away", toPath: sources[1])
            #expect(try await fixture.run("fetch", fixture.feed) == "1 new episodes\n")
            try await waitForEnd(fixture, sources)
        }
    }

    @Test(
        "Killed at random moments, with the daemon or without, it loses no episode and fetches none twice",
        arguments: [false, true])
    func killed(withDaemon: Bool) async throws {
        print("TRANSFER_SEED=\(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        try await PodcastsFixture.with(rate: 4_000_000) { fixture in
            var sources: [String] = []
            var (appKills, daemonKills) = (0, 0)
            for round in 1...Self.rounds {
                sources = try fixture.publish(3 * round, bytes: 200_000)
                let fetch = try fixture.start("fetch", fixture.feed)
                // The first process submits, the next one handles the events. Either is killed at a random moment.
                for _ in 0..<3 {
                    if withDaemon, Bool.random(using: &random),
                        let daemon = try? await fixture.sessions.daemon.process()
                    {
                        kill(daemon, SIGKILL)
                        daemonKills += 1
                    } else {
                        try? await waitUntil("the app runs", within: 0.5) { !fixture.processes.isEmpty }
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &random)))
                        if fixture.killApp() { appKills += 1 }
                    }
                }
                fetch.end()
            }
            // A process that the bus has started owns the name for a moment.
            try await waitUntil("the last fetch", within: 120) {
                (try? await fixture.run("fetch", fixture.feed)) != nil
            }
            try await waitForEnd(fixture, sources)
            let superfluous = try fixture.superfluousBytes(of: sources.count, bytes: 200_000)
            print("kills: app \(appKills), daemon \(daemonKills); bytes sent twice: \(superfluous)")
            // The bytes that are on their way when the daemon dies are requested again.
            #expect(superfluous <= daemonKills * 6 * 200_000)
        }
    }

    @Test("A fetch that waits for its episodes is killed, and the same command joins them")
    func joins() async throws {
        try await PodcastsFixture.with(rate: 100_000) { fixture in
            let sources = try fixture.publish(3, bytes: 1_000_000)
            for count in [1, 2] {
                let fetch = try fixture.start("fetch", "--await", fixture.feed)
                try await waitUntil("bytes arrive", within: 60) {
                    let transfers =
                        try await fixture.sessions.daemon.json("list")["transfers"] as? [[String: Any]] ?? []
                    return transfers.count == 3 && transfers.allSatisfy { ($0["bytes"] as? Int ?? 0) > count * 200_000 }
                }
                fetch.end()
            }
            #expect(fixture.files.isEmpty)
            let output = try await fixture.run("fetch", "--await", fixture.feed)
            #expect(output == "3 new episodes\n" + (1...3).map { fixture.episode($0) + ": done\n" }.joined())
            #expect(fixture.holds(sources))
            #expect(try await fixture.run("fetch", "--await", fixture.feed) == "0 new episodes\n")
            #expect(try fixture.superfluousBytes(of: 3, bytes: 1_000_000) == 0)
        }
    }
}
