// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Conditions of the user", .timeLimit(.minutes(5)))
struct CustomConditionSourceTests {
    private static let now = ClockReading(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 1000))

    /// The snapshots of a machine with one condition and nothing else.
    private final class Machine {
        let conditions: LinuxConditions
        private var snapshots: AsyncStream<Conditions>.Iterator

        init(_ sources: CustomConditionSource..., recorder: (@Sendable (String) -> Void)? = nil) {
            var configuration = LinuxConditionsConfiguration()
            configuration.readers = []
            configuration.sysfsRoot = "/nonexistent"
            configuration.customConditions = sources
            configuration.recorder = recorder
            configuration.recordsAnonymously = true
            conditions = LinuxConditions(configuration: configuration) { CustomConditionSourceTests.now }
            snapshots = conditions.snapshots().makeAsyncIterator()
        }

        /// Returns the first snapshot, from now on, in which the condition has a value.
        func next(_ value: String?) async -> Conditions? {
            while let snapshot = await snapshots.next() {
                if snapshot.custom.first?.fact.value == value { return snapshot }
            }
            return nil
        }
    }

    @Test("A file is followed; another text and a missing file are unknown values, and a note says so")
    func file() async throws {
        try await withFolder { folder in
            let path = folder + "/call"
            var source = CustomConditionSource("call", .file(path), values: ["yes", "no"])
            source.sentences = ["yes": "a call is running"]
            let machine = Machine(source)
            let missing = await machine.next(nil)
            #expect(missing?.notes == ["condition 'call': \(path) cannot be read (No such file or directory)"])
            try Data(" yes \nrest\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            let known = await machine.next("yes")
            #expect(known?.custom.first?.sentence == "a call is running")
            #expect(known?.custom.first?.fact.source == .custom && known?.notes == [])
            try Data("maybe\u{1B}".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            let other = await machine.next(nil)
            #expect(other?.notes.first?.hasSuffix("which is none of: yes, no") == true)
            try Data(repeating: 0xFF, count: 10_000_000).write(to: URL(fileURLWithPath: path), options: .atomic)
            try Data("no".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            _ = await machine.next("no")
            try FileManager.default.removeItem(atPath: path)
            _ = await machine.next(nil)
            await machine.conditions.stop()
        }
    }

    @Test(
        "The shipped load is high while work waits for the processor a fifth of the time",
        arguments: [("0.00", "low"), ("19.99", "low"), ("20.00", "high"), ("93.10", "high")])
    func load(share: String, value: String) async throws {
        try await withFolder { folder in
            let text = "some avg10=\(share) avg60=99.00 avg300=0.00 total=7\nfull avg10=0.00 avg60=0.00 total=0\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/cpu"))
            var load = try #require(CustomConditionSource.shipped.first { $0.name == "load" })
            guard case .command(let words) = load.origin else {
                Issue.record("no command")
                return
            }
            (load.origin, load.debounce) = (.command(words.dropLast() + [folder + "/cpu"]), .zero)
            let machine = Machine(load)
            let known = await machine.next(value)
            #expect(known?.custom.first?.sentence == (value == "high" ? "the processor is busy" : nil))
            await machine.conditions.stop()
        }
    }

    @Test("A FIFO keeps its last line after the writer has gone")
    func fifo() async throws {
        try await withFolder { folder in
            let path = folder + "/call"
            #expect(mkfifo(path, 0o600) == 0)
            let machine = Machine(CustomConditionSource("call", .file(path), values: ["yes", "no"]))
            let silent = await machine.next(nil)
            #expect(silent?.notes == ["condition 'call': \(path) has given no value yet"])
            for value in ["yes", "no"] {
                let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try writer.write(contentsOf: Data("other\n\(value)\nun".utf8))
                try writer.close()
                // The unfinished line is completed by the next writer.
                _ = await machine.next(value)
            }
            await machine.conditions.stop()
        }
    }

    @Test(
        "A command gives a value; a failure makes it unknown, with the reason",
        arguments: [
            (["echo", "yes"], "yes", nil), (["false"], nil, "ended with status 1"),
            (["no-such-program"], nil, "cannot be started: no program 'no-such-program'"),
            (["head", "-c", "100000000", "/dev/zero"], nil, "writes more than 4 KiB"),
            (["sh", "-c", "sleep 100 & exit 3"], nil, "did not end within 5 s"),
        ] as [([String], String?, String?)])
    func command(words: [String], value: String?, problem: String?) async throws {
        let machine = Machine(CustomConditionSource("call", .command(words), values: ["yes"]))
        let first = await machine.next(value)
        var notes = first?.notes ?? []
        // The value is unknown before the command has ended, too.
        while problem != nil, notes.isEmpty, let next = await machine.next(value) { notes = next.notes }
        #expect(
            notes == (problem.map { ["condition 'call': the command '\(words[0])' \($0)"] } ?? []))
        await machine.conditions.stop()
    }

    @Test("A value must last for the debounce; the first value counts at once")
    func debounce() async throws {
        try await withFolder { folder in
            let path = folder + "/load"
            func write(_ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
            try write("low")
            var source = CustomConditionSource("load", .file(path), values: ["low", "high"])
            source.debounce = .milliseconds(600)
            let machine = Machine(source)
            _ = await machine.next("low")
            let start = ContinuousClock.now
            try write("high")
            _ = await machine.next("high")
            #expect(ContinuousClock.now - start >= .milliseconds(600))
            await machine.conditions.stop()
        }
    }

    @Test("An anonymous recording replaces the names, the values, and the texts")
    func recording() async throws {
        try await withFolder { folder in
            let path = folder + "/secret"
            try Data("hidden".utf8).write(to: URL(fileURLWithPath: path))
            let lines = Lines()
            let machine = Machine(CustomConditionSource("secret", .file(path), values: ["hidden"])) { lines.add($0) }
            _ = await machine.next("hidden")
            await machine.conditions.stop()
            let text = lines.text
            #expect(!text.contains("secret") && !text.contains("hidden"), "\(text)")
            let replay = try ConditionsReplay(text.utf8, file: "recording")
            #expect(replay.published.last?.custom.map(\.name) == ["condition-1"])
            #expect(replay.published.last?.custom.first?.fact.value == "value-1")
        }
    }
}
