// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Prices from a file or a command", .timeLimit(.minutes(5)))
struct PriceTests {
    private static let now = ClockReading(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 1000))

    private func make(_ source: PriceSource) -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.readers = []
        configuration.sysfsRoot = "/nonexistent"
        configuration.prices = source
        return LinuxConditions(configuration: configuration) { Self.now }
    }

    /// Returns the first snapshot that satisfies a condition.
    private func first(
        _ source: PriceSource, where isWanted: (Conditions) -> Bool = { $0.priceCurve.source == .priceCurve }
    ) async -> Conditions? {
        let conditions = make(source)
        var found: Conditions?
        for await snapshot in conditions.snapshots() where isWanted(snapshot) {
            found = snapshot
            break
        }
        await conditions.stop()
        return found
    }

    @Test("A file is read at the start and after each change; an invalid change leaves the last prices")
    func file() async throws {
        try await withFolder { folder in
            let path = folder + "/prices.csv"
            let conditions = make(.file(path))
            var snapshots = conditions.snapshots().makeAsyncIterator()
            let missing = await snapshots.next()
            #expect(missing?.priceCurve.value == nil && missing?.priceCurve.source == .priceCurve)
            #expect(
                missing?.notes == ["the price curve is not current: \(path) cannot be read (No such file or directory)"]
            )
            // Replaced as a whole, because a half-written file is a change as well.
            func replace(_ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
            func next(_ isWanted: (Conditions) -> Bool) async -> Conditions? {
                while let snapshot = await snapshots.next() { if isWanted(snapshot) { return snapshot } }
                return nil
            }
            try replace("start,end,price\n0,2000,3\n")
            let first = await next { $0.priceCurve.value != nil }
            #expect(first?.priceCurve.value?.price(at: Self.now.wall) == 3)
            #expect(first?.notes == [])
            try replace("start,end,price\n0,2000,x\n")
            let second = await next { !$0.notes.isEmpty }
            #expect(second?.priceCurve.value?.price(at: Self.now.wall) == 3)
            #expect(second?.notes.first?.hasPrefix("the price curve is not current: \(path):2: ") == true)
            await conditions.stop()
        }
    }

    @Test("A command runs without a shell, and its output is the curve")
    func command() async {
        let conditions = await first(.command(["printf", "start,end,price\\n0,2000,%s\\n", "4"]))
        #expect(conditions?.priceCurve.value?.price(at: Self.now.wall) == 4)
        #expect(conditions?.notes == [])
        let literal = await first(.command(["echo", "$HOME; exit 1"]))
        #expect(literal?.notes.first?.contains(":1: expected the header") == true, "\(literal?.notes ?? [])")
    }

    @Test(
        "A failed command leaves the price unknown, with the reason",
        arguments: [
            (["false"], "is missing: the command ended with status 1"),
            (
                ["no-such-program-for-prices"],
                "is missing: the command cannot be started: no program 'no-such-program-for-prices'"
            ),
            (["sh", "-c", "kill -TERM $$"], "is missing: the command was ended by signal 15"),
            (["head", "-c", "5000000", "/dev/zero"], "is missing: the command writes more than 4096 KiB"),
            (["printf", "\\377"], "is missing: the command writes text that is not UTF-8"),
        ])
    func failures(_ words: [String], _ problem: String) async {
        let conditions = await first(.command(words))
        #expect(conditions?.priceCurve.value == nil)
        #expect(
            conditions?.notes
                == ["the price curve is not current: the output of '\(words.joined(separator: " "))' \(problem)"])
    }

    @Test("A command that does not end is ended with its children")
    func hangs() async throws {
        try await withFolder { folder in
            let executor = GLibExecutor(name: "prices")
            let started = folder + "/child"
            // The time limit is short, so that the test does not wait for the usual one.
            let content = await withCheckedContinuation { (continuation: CheckedContinuation<SourceContent, Never>) in
                executor.perform {
                    nonisolated(unsafe) var command: SourceCommand?
                    command = SourceCommand(
                        ["sh", "-c", "sleep 600 & echo $! > '\(started)'; wait"], name: "it", timeLimit: .seconds(1),
                        on: executor
                    ) { content in
                        continuation.resume(returning: content)
                        command = nil
                    }
                    _ = command
                }
            }
            #expect(content.problem == "did not end within 1 s")
            let child = Int32(try String(contentsOfFile: started, encoding: .utf8).trimmingCharacters(in: .newlines))
            try await waitForEnd(of: try #require(child), within: 10)
            await executor.stop()
        }
    }

    @Test("A forecast becomes known at its time, and the source is read again when prices end")
    func forecasts() {
        var fold = ConditionsFold(localTime: .utc)
        _ = fold.process(.firstSnapshotIsDue, at: Self.now)
        let content = SourceContent(
            name: "f", text: "start,end,price,made\n0,3000,1,\n1500,4000,2,1200\n")
        func process(at seconds: Int64) -> ([ConditionsFold.Order], [Double]?) {
            let later = Self.now.advanced(by: .seconds(seconds))
            let outcome = fold.process(.prices(content), at: later)
            return (outcome.orders, fold.snapshot?.priceCurve.value?.segments.map(\.price))
        }
        #expect(process(at: 0) == ([.readPrices(after: .seconds(200))], [1]))
        #expect(process(at: 200) == ([.readPrices(after: .seconds(2800))], [1, 2]))
        #expect(process(at: 3000) == ([], [1, 2]))
        #expect(fold.snapshot?.priceCurve.value?.price(at: WallTime(secondsSinceEpoch: 4000)) == nil)
    }

    @Test("A recording decodes the same prices; an anonymous one has none")
    func recordings() async throws {
        try await withFolder { folder in
            let path = folder + "/prices.csv"
            try Data("start,end,price\n0,2000,3\n".utf8).write(to: URL(fileURLWithPath: path))
            for source in [PriceSource.file(path), .command(["cat", path])] {
                for isAnonymous in [false, true] { try await record(source, isAnonymous) }
            }
        }
    }

    private func record(_ source: PriceSource, _ isAnonymous: Bool) async throws {
        let lines = Lines()
        var configuration = LinuxConditionsConfiguration()
        configuration.readers = []
        configuration.sysfsRoot = "/nonexistent"
        configuration.prices = source
        configuration.recorder = { lines.add($0) }
        configuration.recordsAnonymously = isAnonymous
        let conditions = LinuxConditions(configuration: configuration) { Self.now }
        for await snapshot in conditions.snapshots() where snapshot.priceCurve.source == .priceCurve { break }
        await conditions.stop()
        let text = lines.text
        let replay = try ConditionsReplay(text.utf8, file: "recording")
        #expect(replay.published.last?.priceCurve.value?.segments.count == (isAnonymous ? nil : 1), "\(source)")
        #expect(text.contains("prices.csv") != isAnonymous)
    }
}
