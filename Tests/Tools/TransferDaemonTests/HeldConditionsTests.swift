// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import ToolSupport
import TransferModel
import TransferPolicy
import TransferTesting

@testable import TransferDaemon

@Suite(.timeLimit(.minutes(5))) struct HeldConditionsTests {
    private static let start = ClockReading(
        instant: Instant(nanoseconds: 5_000_000_000), wall: WallTime(secondsSinceEpoch: 1_700_000_000))

    private func withFile(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/hold-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private func make(_ path: String, at now: ClockReading = start) -> (
        hold: HeldConditions, source: ManualConditionSource
    ) {
        let source = ManualConditionSource(Conditions(unknownSince: now))
        return (
            HeldConditions(source, HoldFile(path: path), alarm: ManualAlarm(startingAt: now)), source
        )
    }

    @Test("A hold is added to the conditions immediately, and removed again")
    func lays() async throws {
        try await withFile { path in
            let (hold, source) = make(path)
            var snapshots = hold.snapshots().makeAsyncIterator()
            #expect(await snapshots.next()?.hold.value == nil)
            try hold.set(MachineHold(by: "the user", why: "a call"))
            let held = await snapshots.next()
            #expect(held?.hold.value?.why == "a call")
            #expect(held?.hold.source == .user && held?.hold.since == Self.start)
            // New conditions do not change the hold.
            var other = Conditions(unknownSince: Self.start)
            other.notes = ["other"]
            source.send(other)
            let both = await snapshots.next()
            #expect(both?.notes == ["other"] && both?.hold.value != nil)
            try hold.set(nil)
            #expect(await snapshots.next()?.hold.value == nil)
            await hold.stop()
            #expect(source.isStopped)
        }
    }

    @Test("A hold and its start survive a restart, unless the hold has expired")
    func kept() async throws {
        try await withFile { path in
            let until = Self.start.wall.advanced(by: .seconds(600))
            try make(path).hold.set(MachineHold(by: "the user", why: "w", until: until))
            let soon = ClockReading(
                instant: Self.start.instant.advanced(by: .seconds(60)), wall: Self.start.wall.advanced(by: .seconds(60))
            )
            let found = make(path, at: soon).hold.hold
            #expect(found.value == MachineHold(by: "the user", why: "w", until: until))
            #expect(found.since == Self.start)
            let late = ClockReading(
                instant: Self.start.instant.advanced(by: .seconds(601)),
                wall: Self.start.wall.advanced(by: .seconds(601)))
            #expect(make(path, at: late).hold.hold.value == nil)
            try make(path).hold.set(nil)
            #expect(make(path).hold.hold.value == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A hold that cannot be saved is refused and changes nothing")
    func unwritable() throws {
        let (hold, _) = make("/nonexistent/folder/hold.json")
        #expect(throws: (any Error).self) { try hold.set(MachineHold(by: "the user", why: "w")) }
        #expect(hold.hold.value == nil)
    }

    @Test("A hold ends at its time, however often the clock is looked at before")
    func ends() async throws {
        try await withFile { path in
            let alarm = ManualAlarm(startingAt: Self.start)
            let source = ManualConditionSource(Conditions(unknownSince: Self.start))
            let hold = HeldConditions(source, HoldFile(path: path), alarm: alarm)
            var snapshots = hold.snapshots().makeAsyncIterator()
            _ = await snapshots.next()
            let until = Self.start.wall.advanced(by: .milliseconds(10))
            try hold.set(MachineHold(by: "the user", why: "w", until: until))
            #expect(await snapshots.next()?.hold.value != nil)
            alarm.advance(by: .milliseconds(10))
            #expect(await snapshots.next()?.hold.value == nil)
            #expect(hold.hold.value == nil)
        }
    }

    @Test("A hold that another process sets is followed, also into a folder that does not exist yet")
    func followed() async throws {
        try await withFile { path in
            let folder = path + ".folders"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let (hold, _) = make(folder + "/transferd/hold.json")
            var snapshots = hold.snapshots().makeAsyncIterator()
            #expect(await snapshots.next()?.hold.value == nil)
            try FileManager.default.createDirectory(atPath: folder + "/transferd", withIntermediateDirectories: true)
            let other = make(folder + "/transferd/hold.json").hold
            for why in ["a call", "another call"] {
                try other.set(MachineHold(by: "the user", why: why))
                #expect(await snapshots.next()?.hold.value?.why == why)
            }
            try other.set(nil)
            #expect(await snapshots.next()?.hold.value == nil)
        }
    }
}
