// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import LinuxKernel
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of several connections that continue an earlier attempt.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct SegmentResumeTests: SegmentedDownloads {
        @Test(
            "Bytes that a stopped attempt left are not downloaded again, even after a reboot",
            arguments: [true, false], [1, 4])
        func stopped(isSameBoot: Bool, connections: Int) async throws {
            let isStalling = Mutex(true)
            try await ExecutorFixture.run(handler: { request, connection in
                guard isStalling.withLock({ $0 }) else {
                    return Self.file.serve(request, connection)
                }
                Self.file.serve(request, connection, onlyBytes: 400_000)
                connection.waitForClient()
            }) { fixture, server in
                let kept: Int64 = 4 * 400_000
                let (id, recorder) = fixture.start(specification(fixture, server))
                await recorder.wait { $0.contains { $0.progress == kept } }
                fixture.executor.stop(id)
                guard case .stopped(var resume?) = await recorder.outcome() else {
                    Issue.record("\(recorder.reports)")
                    return
                }
                #expect(resume.bytes == kept)
                #expect(resume.offset == 400_000)
                if !isSameBoot { resume.bootID = "earlier" }
                isStalling.withLock { $0 = false }
                let before = server.requests.count
                let (outcome, second) = await fixture.run(
                    specification(fixture, server, connections: connections), resume: resume)
                #expect(isRight(fixture, outcome), "\(outcome)")
                #expect(second.restarts == 0)
                // A piece that another connection took over may be requested twice. A byte that was present is never
                // requested.
                let there = ByteRanges(
                    [0..<resume.offset] + (resume.extents ?? []).map { $0.start..<$0.end })
                for range in ranges(server.requests[before...]) {
                    #expect(!there.ranges.contains { $0.overlaps(Int64(range.lowerBound)..<Int64(range.upperBound)) })
                }
                let progress = second.reports.compactMap(\.progress)
                #expect(progress.first ?? 0 >= kept && progress.last == Int64(Self.file.bytes.count))
            }
        }

        @Test("The length of a file with holes is not trusted, even within the same boot", arguments: [1, 4])
        func holes(connections: Int) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                for extents in [[], [Extent(start: 3_000_000, end: 5_000_000)]] {
                    var bytes = [UInt8](repeating: 0, count: Self.file.bytes.count)
                    bytes[..<200_000] = Self.file.bytes[..<200_000]
                    for extent in extents {
                        let range = Int(extent.start)..<Int(extent.end)
                        bytes[range] = Self.file.bytes[range]
                    }
                    var resume = try fixture.leavePartial(
                        bytes, total: bytes.count, tag: "\"v1\"", bootID: BootIdentity.current)
                    (resume.offset, resume.extents) = (200_000, extents)
                    let before = server.requests.count
                    let specification = specification(fixture, server, connections: connections)
                    let (outcome, recorder) = await fixture.run(specification, resume: resume)
                    #expect(isRight(fixture, outcome), "\(outcome)")
                    #expect(recorder.restarts == 0)
                    #expect(server.requests[before...].allSatisfy { $0.range?.first ?? 0 >= 200_000 })
                }
            }
        }

        @Test("Segments that another program truncated do not count")
        func cutPieces() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var resume = try fixture.leavePartial(
                    Self.file.bytes[..<1_000_000], total: Self.file.bytes.count, tag: "\"v1\"")
                resume.extents = [Extent(start: 2_000_000, end: 3_000_000), Extent(start: -5, end: 7)]
                let (outcome, _) = await fixture.run(specification(fixture, server), resume: resume)
                #expect(isRight(fixture, outcome), "\(outcome)")
            }
        }

        @Test("A resume point that relies on the file's length continues on a single connection")
        func believing() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let resume = try fixture.leavePartial(
                    Self.file.bytes[..<100_000], total: Self.file.bytes.count, tag: "\"v1\"")
                let (outcome, recorder) = await fixture.run(specification(fixture, server), resume: resume)
                #expect(isRight(fixture, outcome), "\(outcome)")
                #expect(server.requests.count == 1)
                // All later resume points forbid trusting the length of the file.
                #expect(recorder.checkpoints.allSatisfy { $0.extents == [] })
            }
        }
    }
}
