// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxClock

@Suite("Watching the local time zone", .timeLimit(.minutes(5)), .enabled(if: getenv("TZ") == nil, "TZ is set"))
struct LocalTimeWatchTests {
    /// Calls `body` with a folder whose `localtime` is a link into the zone data, and with the reports of a watch on
    /// that folder.
    private func withWatch(
        _ name: String,
        _ body: (_ link: (String) throws -> Void, inout AsyncStream<LocalTimeRules>.Iterator) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("zone-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let link = { (name: String) in
            // Replaced atomically, as timedatectl does: the link is never missing.
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/new", withDestinationPath: "/usr/share/zoneinfo/" + name)
            #expect(rename(folder + "/new", folder + "/localtime") == 0)
        }
        try link(name)
        let (stream, continuation) = AsyncStream.makeStream(of: LocalTimeRules.self)
        let watch = LocalTimeWatch(file: folder + "/localtime") { continuation.yield($0) }
        var reports = stream.makeAsyncIterator()
        try await body(link, &reports)
        withExtendedLifetime(watch) {}
    }

    private func rules(_ name: String) throws -> LocalTimeRules {
        let now = WallTime(nanosecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1e9))
        let zone = try #require(TimeZone(identifier: name))
        return LocalTimeRules(current: now, zone: zone)
    }

    @Test("Each new time zone is reported, and only if the rules differ")
    func changes() async throws {
        try await withWatch("Europe/Berlin") { link, reports in
            try link("Asia/Tokyo")
            #expect(await reports.next() == (try rules("Asia/Tokyo")))
            // First another name for the same zone, then a zone with the same rules.
            try link("Japan")
            try link("Etc/GMT-9")
            try link("America/St_Johns")
            #expect(await reports.next() == (try rules("America/St_Johns")))
        }
    }

    @Test("A large clock change reports the new rules, and a small change does not")
    func clockStep() throws {
        final class Clock: Sendable {
            let now = Mutex(WallTime(secondsSinceEpoch: 1_768_478_400))
            let reports = Mutex<[LocalTimeRules]>([])
        }
        let clock = Clock()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("zone-\(UUID().uuidString)").path
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let watch = LocalTimeWatch(file: file, now: { clock.now.withLock { $0 } }) { rules in
            clock.reports.withLock { $0.append(rules) }
        }
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        func set(to seconds: Int64) -> [LocalTimeRules] {
            clock.now.withLock { $0 = WallTime(secondsSinceEpoch: seconds) }
            watch.clockWasSet()
            return clock.reports.withLock { $0 }
        }
        // Into the summer, within the reported rules.
        #expect(set(to: 1_782_900_000).isEmpty)
        // 2041-07-01, beyond the reported rules.
        let summer = WallTime(secondsSinceEpoch: 2_256_307_200)
        #expect(set(to: summer.secondsSinceEpoch) == [LocalTimeRules(current: summer, zone: berlin)])
        #expect(set(to: summer.secondsSinceEpoch).count == 1)
        // Back to the original time: the offset differs.
        #expect(set(to: 1_768_478_400).last?.initialOffsetSeconds == 3600)
    }

    @Test("The rules are read again, regardless of the zone cached at the start")
    func readAgain() async throws {
        try await withWatch("Asia/Kolkata") { link, reports in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("zone-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: file) }
            for name in ["Asia/Kolkata", "Asia/Kathmandu"] {
                try? FileManager.default.removeItem(atPath: file)
                try FileManager.default.createSymbolicLink(
                    atPath: file, withDestinationPath: "../usr/share/zoneinfo/" + name)
                #expect(LocalTimeRules(systemZoneIn: file) == (try rules(name)))
            }
        }
    }
}
