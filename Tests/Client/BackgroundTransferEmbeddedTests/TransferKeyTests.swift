// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import Testing
import TransferTesting

@Suite("Keys of a service's transfers", .serialized, .timeLimit(.minutes(5)))
struct TransferKeyTests {
    @Test("Concurrent calls with one key submit one transfer, and so does a call of the next run")
    func joins() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let ids = try await fixture.run {
            try await withThrowingTaskGroup(of: TransferID.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await fixture.service.submit(fixture.specification(), key: "a") }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(ids == [TransferID(1)])
        let next = try ServiceFixture(in: fixture.folder)
        try await next.run {
            let joined = try await next.service.submit(next.specification(), key: "a")
            let other = try await next.service.submit(next.specification(), key: "b")
            let withoutKey = try await next.service.submit(next.specification())
            #expect([joined, other, withoutKey] == [TransferID(1), TransferID(2), TransferID(3)])
        }
    }

    @Test("A finished transfer is joined while its file exists")
    func finishedFile() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            // A query may contain a secret, so it is not kept after the end.
            let specification = try fixture.specification("a?token=1")
            let first = try await fixture.finish(specification, key: "a")
            let file = try #require(try await fixture.service.completion(of: first).file?.path)
            try FileManager.default.createDirectory(
                atPath: fixture.folder + "/files", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: file))
            #expect(try await fixture.service.submit(specification, key: "a") == first)
            try FileManager.default.removeItem(atPath: file)
            #expect(try await fixture.service.submit(specification, key: "a") != first)
        }
    }

    @Test("After a failure, a cancellation, or a refusal, a call with the same key submits a new transfer")
    func triesAgain() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let refused = try await fixture.finish(fixture.specification(), key: "a", status: 404)
            let second = try await fixture.service.submit(fixture.specification(), key: "a")
            #expect(second != refused)
            await fixture.waitForStart(of: second)
            fixture.executor.fail(second, .certificate)
            await #expect(throws: TransferServiceError.self) { try await fixture.service.completion(of: second) }
            let third = try await fixture.service.submit(fixture.specification(), key: "a")
            #expect(third != second)
            try await fixture.service.cancel(third)
            #expect(try await fixture.service.submit(fixture.specification(), key: "a") != third)
        }
    }

    @Test("A key of another URL is refused, during the transfer and after its end")
    func otherURL() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification("a"), key: "k")
            let error = TransferServiceError.keyInUse("k", by: id)
            await #expect(throws: error) { try await fixture.service.submit(fixture.specification("b"), key: "k") }
            await fixture.waitForStart(of: id)
            try FileManager.default.createDirectory(
                atPath: fixture.folder + "/files", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: fixture.folder + "/files/file-\(id)"))
            fixture.executor.finish(id)
            _ = try await fixture.service.completion(of: id)
            await #expect(throws: error) { try await fixture.service.submit(fixture.specification("b"), key: "k") }
        }
    }
}
