// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import LinuxKernel
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of the kept bytes after a failure of the disk or the server.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct KeptBytesTests {
        private static let file = ServedFile(bytes: ServedFile.content(3_000_000))
        private static let large = ServedFile(bytes: ServedFile.content(6_000_000))

        @Test("A failed sync ends the attempt and keeps exactly the bytes that were durable before")
        func failedSync() async throws {
            let sizes = Mutex<[Int64]>([])
            let synced = DispatchSemaphore(value: 0)
            try await ExecutorFixture.run(handler: { request, connection in
                // If all bytes arrived before the first checkpoint's sync, the sync of the finished file could come
                // first.
                Self.file.serve(request, connection, first: 300_000) { _ = synced.wait(timeout: .now() + 10) }
            }) { fixture, server in
                var calls = FileCalls()
                calls.sync = { descriptor, _ in
                    let count = sizes.withLock { sizes in
                        sizes.append(FileFacts(descriptor: descriptor)?.size ?? 0)
                        return sizes.count
                    }
                    synced.signal()
                    errno = EIO
                    return count == 2 ? -1 : 0
                }
                let specification = fixture.specification(server.url("/f"))
                let outcome = await fixture.run(specification, calls: calls) { $0.checkpointBytes = 200_000 }
                #expect(outcome.failure?.cause == .destination)
                let resume = try #require(outcome.resume)
                #expect(resume.offset > 0, "\(resume) after syncs at \(sizes.withLock { $0 }) bytes")
                #expect(resume.offset <= sizes.withLock { $0[0] })
                #expect(FileFacts(path: resume.path)?.size == resume.offset)
                let (second, _) = await fixture.run(specification, resume: resume)
                #expect(fixture.contents(second) == Self.file.bytes)
            }
        }

        @Test("Bytes that a sync made durable while the attempt ended are kept even if the next sync fails")
        func syncDuringTheEnd() async throws {
            let end: Int64 = 1_000_000
            try await ExecutorFixture.run(handler: { request, connection in
                Self.file.serve(request, connection, onlyBytes: 1_000_000)
                connection.finish()
            }) { fixture, server in
                let sizes = Mutex<[Int64]>([])
                var calls = FileCalls()
                calls.sync = { descriptor, _ in
                    func size() -> Int64 { FileFacts(descriptor: descriptor)?.size ?? 0 }
                    let count = sizes.withLock { sizes in
                        sizes.append(size())
                        return sizes.count
                    }
                    // The first sync runs until the server, and with it the attempt, has ended.
                    if count == 1 {
                        for _ in 0..<1000 where size() < end { usleep(10_000) }
                        usleep(500_000)
                    }
                    errno = EIO
                    return count == 1 ? 0 : -1
                }
                let specification = fixture.specification(server.url("/f"))
                let outcome = await fixture.run(specification, calls: calls) { $0.checkpointBytes = 200_000 }
                let resume = try #require(outcome.resume)
                #expect(resume.offset >= 200_000, "\(outcome) after syncs at \(sizes.withLock { $0 }) bytes")
                #expect(resume.offset <= sizes.withLock { $0[0] })
                #expect(FileFacts(path: resume.path)?.size == resume.offset)
            }
        }

        @Test("A failed sync of a file in segments keeps exactly the segments that were durable before")
        func failedSyncOfPieces() async throws {
            let count = Mutex(0)
            try await ExecutorFixture.run(handler: { request, connection in
                // The body is sent slowly until two syncs have begun. If all bytes arrived immediately, the third sync
                // might not be the file's.
                var body = Self.large.response(to: request).body
                Self.large.serve(request, connection, onlyBytes: 0)
                while count.withLock({ $0 < 2 }), !body.isEmpty {
                    guard connection.send(body.prefix(5000)) else { return }
                    body = body.dropFirst(5000)
                    connection.pause(milliseconds: 20)
                }
                connection.send(body)
            }) { fixture, server in
                var calls = FileCalls()
                calls.sync = { _, _ in
                    errno = EIO
                    return count.withLock { count in
                        count += 1
                        return count == 3 ? -1 : 0
                    }
                }
                var specification = fixture.specification(server.url("/f"))
                specification.connections = 4
                let outcome = await fixture.run(specification, calls: calls) { $0.checkpointBytes = 300_000 }
                #expect(outcome.failure?.cause == .destination)
                let resume = try #require(outcome.resume)
                #expect(resume.offset > 0 && resume.bytes < Int64(Self.large.bytes.count))
                #expect(FileFacts(path: resume.path)?.size == resume.extents?.last?.end ?? resume.offset)
                let (second, _) = await fixture.run(specification, resume: resume)
                let isRight = fixture.contents(second) == Self.large.bytes
                #expect(isRight, "\(second)")
            }
        }
    }
}
