// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Errors of the store", .timeLimit(.minutes(5)))
struct EngineStoreErrorTests {
    @Test("A submission that cannot be saved is refused and not queued")
    func failingSubmission() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            fixture.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
            await #expect(throws: TransferStoreError.self) {
                try await fixture.engine.submit(EngineFixture.specification())
            }
            fixture.disk.fail(with: nil)
            let id = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "\(id) started 1")
            #expect(fixture.executor.running == [id])
        }
    }

    @Test("Unsaved changes are saved with the next change; of checkpoints, only the last")
    func failingStore() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
            fixture.executor.checkpoint(id, at: 10)
            fixture.executor.checkpoint(id, at: 20)
            // The pause has taken effect, and its caller learns that the pause is not durable yet.
            await #expect(throws: TransferStoreError.self) { try await fixture.engine.pause(id) }
            // The error is reported once, however often the store fails.
            #expect(await updates.next() == "store error diskFull")
            #expect(await updates.next() == "1 stopped suspended 20")
            let before = fixture.disk.commits.count
            fixture.disk.fail(with: nil)
            try await fixture.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            let saved = fixture.disk.commits[before...].flatMap { $0 }
            #expect(saved.map { "\($0)".prefix { $0 != "(" } } == ["suspended", "checkpointed", "suspended"])
            #expect(fixture.disk.transfers.first?.resume?.offset == 20)
        }
    }

    @Test("A hanging store does not delay a stop, which is performed before anything is saved")
    func hangingStore() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary))
            _ = await updates.next()
            fixture.disk.setHanging(true)
            fixture.executor.checkpoint(id, at: 10)
            fixture.executor.progress(id, to: 20)
            // The checkpoint waits for the disk. Later reports do not wait.
            #expect(await updates.next() == "1 progressed 20")
            var metered = EngineFixture.goodConditions()
            metered.metered.value = .yes
            fixture.source.send(metered)
            await fixture.until("the stop") { fixture.executor.log.contains(.stop(id)) }
            #expect(fixture.disk.commits.count == 1)
            fixture.disk.setHanging(false)
            #expect(await updates.next() == "1 stopped metered 20")
            #expect(fixture.disk.transfers.first?.resume?.offset == 20)
        }
    }

    @Test("Changes that are still unsaved at the end are an error of the run")
    func unsavedAtTheEnd() async throws {
        let fixture = EngineFixture()
        await #expect(throws: TransferStoreError.self) {
            try await fixture.run { updates in
                let id = try await fixture.engine.submit(EngineFixture.specification())
                _ = await updates.next()
                fixture.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
                fixture.executor.finish(id)
                _ = await updates.next()
            }
        }
    }

    @Test("A row that another process has ended does not prevent the other changes from being saved")
    func endedElsewhere() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let lost = try await fixture.engine.submit(EngineFixture.specification(host: "a"))
            let kept = try await fixture.engine.submit(EngineFixture.specification(host: "b"))
            _ = await updates.next(2)
            let other = InMemoryTransferStore(disk: fixture.disk)
            try await other.commit([.ended(lost, .cancelled)])
            fixture.executor.checkpoint(lost, at: 5)
            #expect(await updates.next() == "store error noSuchTransfer")
            fixture.executor.checkpoint(kept, at: 9)
            try await fixture.waitForInbox()
            #expect(fixture.disk.transfers.first { $0.id == kept }?.resume?.offset == 9)
        }
    }
}
