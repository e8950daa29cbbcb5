// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("An engine whose store refuses, hangs or fails", .timeLimit(.minutes(5)))
struct EngineStoreTroubleTests {
    @Test("What cannot be saved at submission is refused and not queued")
    func failingSubmission() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            rig.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
            await #expect(throws: TransferStoreError.self) {
                try await rig.engine.submit(EngineRig.specification())
            }
            rig.disk.fail(with: nil)
            let id = try await rig.engine.submit(EngineRig.specification())
            #expect(await updates.next() == "\(id) started 1")
            #expect(rig.executor.running == [id])
        }
    }

    @Test("Later changes that cannot be saved are kept, and saved with the next; of checkpoints only the last")
    func failingStore() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
            rig.executor.checkpoint(id, at: 10)
            rig.executor.checkpoint(id, at: 20)
            // The pause has taken effect, and its caller learns that the pause is not durable yet.
            await #expect(throws: TransferStoreError.self) { try await rig.engine.pause(id) }
            // The error is reported once, however often the store fails.
            #expect(await updates.next() == "trouble diskFull")
            #expect(await updates.next() == "1 stopped suspended 20")
            let before = rig.disk.commits.count
            rig.disk.fail(with: nil)
            try await rig.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            let saved = rig.disk.commits[before...].flatMap { $0 }
            #expect(saved.map { "\($0)".prefix { $0 != "(" } } == ["suspended", "checkpointed", "suspended"])
            #expect(rig.disk.transfers.first?.resume?.offset == 20)
        }
    }

    @Test("A store that does not answer keeps no bytes flowing: a stop is carried out before anything is saved")
    func hangingStore() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary))
            _ = await updates.next()
            rig.disk.setHanging(true)
            rig.executor.checkpoint(id, at: 10)
            rig.executor.progress(id, to: 20)
            // The checkpoint waits for the disk. Later reports do not wait.
            #expect(await updates.next() == "1 progressed 20")
            var metered = EngineRig.goodConditions()
            metered.metered.value = .yes
            rig.source.send(metered)
            await rig.until("the stop") { rig.executor.log.contains(.stop(id)) }
            #expect(rig.disk.commits.count == 1)
            rig.disk.setHanging(false)
            #expect(await updates.next() == "1 stopped metered 20")
            #expect(rig.disk.transfers.first?.resume?.offset == 20)
        }
    }

    @Test("What could not be saved to the end is an error of the run")
    func unsavedAtTheEnd() async throws {
        let rig = EngineRig()
        await #expect(throws: TransferStoreError.self) {
            try await rig.run { updates in
                let id = try await rig.engine.submit(EngineRig.specification())
                _ = await updates.next()
                rig.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
                rig.executor.finish(id)
                _ = await updates.next()
            }
        }
    }

    @Test("A row that another process has ended does not keep the others from being saved")
    func endedElsewhere() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let lost = try await rig.engine.submit(EngineRig.specification(host: "a"))
            let kept = try await rig.engine.submit(EngineRig.specification(host: "b"))
            _ = await updates.next(2)
            let other = InMemoryTransferStore(disk: rig.disk)
            try await other.commit([.ended(lost, .cancelled)])
            rig.executor.checkpoint(lost, at: 5)
            #expect(await updates.next() == "trouble noSuchTransfer")
            rig.executor.checkpoint(kept, at: 9)
            try await rig.settle()
            #expect(rig.disk.transfers.first { $0.id == kept }?.resume?.offset == 9)
        }
    }
}
