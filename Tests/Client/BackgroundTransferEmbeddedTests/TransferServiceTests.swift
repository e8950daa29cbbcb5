// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import SQLiteStore
import Testing
import TransferTesting

@Suite("Transfers of a service without sessions", .serialized, .timeLimit(.minutes(5)))
struct TransferServiceTests {
    @Test("A submitted transfer has its host, date, and app, and is awaited until its file is finished")
    func finished() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification())
            await fixture.waitForStart(of: id)
            let traits = try #require(fixture.executor.specification(of: id)?.traits)
            #expect(traits.host == "https://example.org:443")
            #expect(traits.submitted == ServiceFixture.start.wall)
            #expect((traits.app, traits.isLoopback) == ("org.example.Test", false))
            async let completion = fixture.service.completion(of: id)
            fixture.executor.finish(id)
            #expect(try await completion.file?.path == fixture.folder + "/files/file-\(id)")
            // The result can be read again.
            #expect(try await fixture.service.completion(of: id).status == 200)
        }
    }

    @Test("A transfer without a result throws the reason, immediately and in a later run")
    func withoutResult() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let service = fixture.service
        let failure = TransferFailure(cause: .certificate, message: FailureCause.certificate.phrase)
        let (refused, failed, canceled) = try await fixture.run {
            let refused = try await service.submit(fixture.specification("a"))
            await fixture.waitForStart(of: refused)
            let refusal = Task { try await service.completion(of: refused) }
            fixture.executor.finish(refused, status: 404)
            let error = await #expect(throws: TransferServiceError.self) { try await refusal.value }
            #expect(error?.description == "the server answered with status 404")

            let failed = try await service.submit(fixture.specification("b"))
            await fixture.waitForStart(of: failed)
            fixture.executor.fail(failed, .certificate)
            await #expect(throws: TransferServiceError.failed(failure)) { try await service.completion(of: failed) }

            let canceled = try await service.submit(fixture.specification("c"))
            await fixture.waitForStart(of: canceled)
            #expect(try await service.cancel(canceled))
            #expect(try await !service.cancel(canceled))
            return (refused, failed, canceled)
        }
        let later = try ServiceFixture(in: fixture.folder)
        try await later.run {
            await #expect(throws: TransferServiceError.self) { try await later.service.completion(of: refused) }
            await #expect(throws: TransferServiceError.failed(failure)) {
                try await later.service.completion(of: failed)
            }
            await #expect(throws: TransferServiceError.cancelled) { try await later.service.completion(of: canceled) }
            await #expect(throws: TransferServiceError.unknown(TransferID(99))) {
                try await later.service.completion(of: TransferID(99))
            }
        }
    }

    @Test("A wait ends with the service, and the transfer continues in the next run")
    func continued() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let (id, waiting) = try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification())
            await fixture.waitForStart(of: id)
            return (id, Task { try await fixture.service.completion(of: id) })
        }
        await #expect(throws: TransferServiceError.serviceEnded) { try await waiting.value }
        await #expect(throws: TransferServiceError.serviceEnded) {
            try await fixture.service.submit(fixture.specification())
        }
        let next = try ServiceFixture(in: fixture.folder)
        try await next.run {
            await next.waitForStart(of: id)
            let unfinished = try await next.service.list()
            #expect(unfinished.map(\.id) == [id])
            let completion = Task { try await next.service.completion(of: id) }
            next.executor.finish(id)
            #expect(try await completion.value.status == 200)
        }
    }

    @Test("The cancellation of a waiting task leaves the transfer alone")
    func canceledWait() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification())
            await fixture.waitForStart(of: id)
            let waiting = Task { try await fixture.service.completion(of: id) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(fixture.executor.running == [id])
        }
    }

    @Test("A service that cannot read its queue ends the calls that wait for its start")
    func unreadable() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let submission = Task { try await fixture.service.submit(fixture.specification()) }
        await fixture.store.close()
        await #expect(throws: TransferStoreError.self) { try await fixture.service.run() }
        await #expect(throws: TransferServiceError.serviceEnded) { try await submission.value }
        #expect(await fixture.service.explanation(of: TransferID(1)) == nil)
    }

    @Test("An invalid transfer is refused, and nothing is submitted")
    func refused() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let good = try fixture.specification()
            let wrong = TransferSpecification(
                downloading: try #require(URL(string: "https://example.org/a")),
                to: try #require(URL(string: "https://example.org/folder/")))
            await #expect(throws: RefusedTransferError.self) { try await fixture.service.submit([good, wrong]) }
            await #expect(throws: RefusedTransferError.self) { try await fixture.service.submit(good, key: "") }
            #expect(try await fixture.service.list().isEmpty)
            #expect(try await fixture.service.submit([good, good]) == [TransferID(1), TransferID(2)])
        }
    }
}
