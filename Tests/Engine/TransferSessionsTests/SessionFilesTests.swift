// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferSessions

@Suite struct SessionFilesTests {
    private let start = Instant(nanoseconds: 10_000_000_000)

    private func files(_ spool: PlayedSpool = PlayedSpool(disk: PlayedSpool.Disk()), limit: Int64) -> SessionFiles {
        SessionFiles(place: PlayedPlace(), spool: spool, limit: limit)
    }

    private func usage(_ finished: Int64, _ partial: Int64) -> FileUsage {
        var usage = FileUsage()
        (usage.finishedBytes, usage.partialBytes) = (finished, partial)
        return usage
    }

    @Test("a sum of downloads is used for a second, and is made anew after that or once the clock is behind it")
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

    @Test("downloads and kept files count together: an app that has as much as the limit is refused")
    func room() async throws {
        var files = files(limit: 30)
        _ = try await files.keep(.path("/f"), for: "a", downloaded: 0)
        try files.checkRoom(of: "a", downloaded: 19)
        let refusal = #expect(throws: SessionRefusal.self) { try files.checkRoom(of: "a", downloaded: 20) }
        #expect(refusal?.code == .limitExceeded)
        #expect(refusal?.message.contains("30 bytes of files here and may have 30 (files-per-app): 20 of") == true)
        try files.checkRoom(of: "b", downloaded: 29)
        files.limit = 31
        try files.checkRoom(of: "a", downloaded: 20)
    }

    @Test("a file is kept within what the downloads leave of the limit")
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

    @Test("a file that cannot be read fails its task; any other trouble refuses the order")
    func trouble() async throws {
        let spool = PlayedSpool(disk: PlayedSpool.Disk())
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
