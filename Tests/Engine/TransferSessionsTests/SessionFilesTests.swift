// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferSessions

@Suite struct SessionFilesTests {
    private let start = Instant(nanoseconds: 10_000_000_000)

    private func files(_ spool: FakeSpool = FakeSpool(disk: FakeSpool.Disk()), limit: Int64) -> SessionFiles {
        SessionFiles(resolver: FakeResolver(), spool: spool, limit: limit)
    }

    private func usage(_ finished: Int64, _ partial: Int64) -> FileUsage {
        var usage = FileUsage()
        (usage.finishedBytes, usage.partialBytes) = (finished, partial)
        return usage
    }

    @Test("a total of downloads is reused for one second, unless the clock has gone back")
    func sums() {
        var files = files(limit: 100)
        var now = start
        #expect(files.downloadedBytes(of: "a", at: now) { usage(30, 12) } == 42)
        now = start.advanced(by: .milliseconds(999))
        #expect(files.downloadedBytes(of: "a", at: now) { usage(1, 1) } == 42)
        #expect(files.downloadedBytes(of: "b", at: now) { usage(1, 1) } == 2)
        now = start.advanced(by: .seconds(1))
        #expect(files.downloadedBytes(of: "a", at: now) { usage(3, 4) } == 7)
        #expect(files.downloadedBytes(of: "a", at: start) { usage(5, 6) } == 11)
    }

    @Test("downloads and kept files count together, and an app at the limit is refused")
    func room() async throws {
        var files = files(limit: 30)
        _ = try await files.keep(.path("/f"), for: "a", downloaded: 0)
        try files.checkRoom(of: "a", downloaded: 19)
        let refusal = #expect(throws: SessionRefusal.self) { try files.checkRoom(of: "a", downloaded: 20) }
        #expect(refusal?.code == .limitExceeded)
        #expect(refusal?.message.contains("30 bytes of files and may have 30 (files-per-app): 20 bytes of") == true)
        try files.checkRoom(of: "b", downloaded: 29)
        files.limit = 31
        try files.checkRoom(of: "a", downloaded: 20)
    }

    @Test("a file is kept within the limit that remains after the downloads")
    func limit() async throws {
        let files = files(limit: 30)
        _ = try await files.keep(.path("/f"), for: "a", downloaded: 20)
        for downloaded: Int64 in [11, 30, 5000] {
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await files.keep(.path("/f"), for: "a", downloaded: downloaded)
            }
            #expect(refusal?.message == "at most \(max(0, 30 - downloaded))")
        }
    }

    @Test("an unreadable file fails its task; any other error refuses the order")
    func spoolErrors() async throws {
        let spool = FakeSpool(disk: FakeSpool.Disk())
        let files = files(spool, limit: 30)
        spool.fail(SourceSpoolError(.unusable, "it is gone"))
        let result = try await files.keep(.path("/f"), for: "a", downloaded: 0)
        #expect(result == .failure(UnusableTask(code: -1100, message: "it is gone")))
        for (code, expected) in [
            (SourceSpoolError.Code.limitExceeded, SessionRefusal.Code.limitExceeded), (.unavailable, .unavailable),
            (.cancelled, .unavailable),
        ] {
            spool.fail(SourceSpoolError(code, "so"))
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await files.keep(.path("/f"), for: "a", downloaded: 0)
            }
            #expect(refusal?.code == expected)
        }
    }
}
