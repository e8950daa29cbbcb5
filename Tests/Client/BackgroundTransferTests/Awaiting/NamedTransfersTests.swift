// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Sets of named transfers", .timeLimit(.minutes(1)))
struct NamedTransfersTests {
    private let fixture: AwaitedSession
    private let requests = ["a": AwaitedSession.request, "b": AwaitedSession.request]

    init() throws { fixture = try AwaitedSession() }

    @Test("A6: a set sums its progress and returns all files")
    func sums() async throws {
        let session = try fixture.open()
        let transfers = try await session.transfers(for: requests)
        #expect(transfers.ids == ["a", "b"] && transfers["c"] == nil)
        var reader = transfers.progress.makeAsyncIterator()
        #expect(try await reader.next() == TransferProgress(bytes: 0, total: nil))
        fixture.channel.send(SessionEvent(task: 1, .received(10, total: 20)))
        #expect(try await reader.next() == TransferProgress(bytes: 10, total: nil))
        fixture.channel.send(SessionEvent(task: 2, .received(5, total: 80)))
        #expect(try await reader.next() == TransferProgress(bytes: 15, total: 100))
        fixture.end(1, try fixture.download("1"))
        fixture.end(2, try fixture.download("2"))
        var last: TransferProgress?
        while let next = try await reader.next() { last = next }
        // The size of a finished file counts, whatever was reported before.
        #expect(last == TransferProgress(bytes: 2, total: 2))
        #expect(try await transfers.files.mapValues(\.lastPathComponent) == ["a": "a", "b": "b"])
    }

    @Test("the first failure ends the call, and the others continue")
    func fails() async throws {
        let session = try fixture.open()
        async let failed = failure { () throws(TransferError) in try await session.files(for: requests) }
        await until { fixture.submitted.count == 2 }
        fixture.end(2, status: 500, nil)
        #expect(await failed?.code == .httpStatus(500))
        #expect(!fixture.channel.orders.contains(.cancel(1)))
    }
}
