// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel
internal import TransferScheduling

extension TransferStoreContract {
    private func submissions(_ count: Int) -> [StoreChange] {
        (0..<count).map { index in
            .submitted(
                NewTransfer(
                    StoredTransferSamples.plain(Int64(index)).specification, key: "key \(index)",
                    resume: index == 1 ? StoredTransferSamples.full(1).resume : nil))
        }
    }

    func identifiersGrow(_ open: Opener) async throws {
        let first = try await open()
        let second = try await open()
        var given: [TransferID] = []
        for count in [1, 3, 0, 2] {
            for store in [first, second] {
                let more = try await store.commit(submissions(count))
                try expectEqual(more.count, count, "number of assigned identifiers")
                given += more
            }
        }
        let ends: [StoreChange] = given.map { .ended($0, .cancelled) }
        try expectEqual(try await first.commit(ends), [], "identifiers for changes that add nothing")
        let inserted = StoredTransferSamples.plain(given[given.count - 1].rawValue + 10)
        try await first.commit([.inserted(inserted)])
        given.append(inserted.id)
        await first.close()
        await second.close()
        let third = try await open()
        given += try await third.commit(submissions(1))
        await third.close()
        for (earlier, later) in zip(given, given.dropFirst()) {
            try expect(earlier < later, "identifier \(later) was assigned after \(earlier)")
        }
        try expect(given.allSatisfy { $0.rawValue > 0 }, "identifiers must be positive, but got \(given)")
    }

    func identifiersAreUnique(_ open: Opener) async throws {
        let stores = [try await open(), try await open()]
        let given = try await withThrowingTaskGroup(of: [TransferID].self) { group in
            for index in 0..<100 {
                let store = stores[index % 2]
                group.addTask { try await store.commit(submissions(1 + index % 3)) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try expectEqual(Set(given).count, given.count, "different identifiers")
        for store in stores { await store.close() }
    }

    func submittedIsReturned(_ open: Opener) async throws {
        let store = try await open()
        let resume = StoredTransferSamples.full(1).resume
        let ids = try await store.commit([
            .submitted(NewTransfer(StoredTransferSamples.full(1).specification, key: "a", resume: resume)),
            .submitted(NewTransfer(StoredTransferSamples.upload(1).specification)),
            .submitted(NewTransfer(StoredTransferSamples.plain(1).specification)),
        ])
        try expectEqual(ids.count, 3, "identifiers")
        let expected = [
            StoredTransfer(
                id: ids[0], specification: StoredTransferSamples.full(1).specification, resume: resume, key: "a"),
            StoredTransfer(id: ids[1], specification: StoredTransferSamples.upload(1).specification),
            StoredTransfer(id: ids[2], specification: StoredTransferSamples.plain(1).specification),
        ]
        try expectEqual(try await store.unfinished(), expected, "unfinished in the same store")
        await store.close()
        let reopened = try await open()
        try expectEqual(try await reopened.unfinished(), expected, "unfinished after a restart")
        await reopened.close()
    }

    func recoversSchedulingState(_ open: Opener) async throws {
        let store = try await open()
        // More transfers than fit in a batch of any size.
        let many = (1...5000).map { StoredTransferSamples.plain($0) }
        let samples = many + [5001, 5002].map { StoredTransferSamples.full($0) } + [StoredTransferSamples.upload(5003)]
        try await store.commit(samples.map { .inserted($0) })
        try await store.commit([
            .checkpointed(TransferID(7), StoredTransferSamples.full(7).resume), .suspended(TransferID(9), true),
            .ended(TransferID(5002), .cancelled), .ended(TransferID(3), .cancelled),
        ])
        var expected = samples.filter { ![3, 5002].contains($0.id.rawValue) }.map { RecoveredTransfer($0) }
        for index in expected.indices {
            if expected[index].id.rawValue == 7 { expected[index].state.bytes = 8 << 20 }
            if expected[index].id.rawValue == 9 { expected[index].state.isPaused = true }
        }
        let (batches, continuation) = AsyncStream.makeStream(of: RecoveredTransfers.self)
        try await store.recover { continuation.yield($0) }
        continuation.finish()
        let recovered: [RecoveredTransfer] = await batches.reduce(into: []) { $0 += $1 }
        try expectEqual(recovered.count, expected.count, "number of recovered transfers")
        for (one, other) in zip(recovered, expected) { try expectEqual(one, other, "transfer \(other.id)") }
        await store.close()
    }

    func findsByID(_ open: Opener) async throws {
        let store = try await open()
        let samples = StoredTransferSamples.unfinished
        try await store.commit(samples.map { .inserted($0) })
        let wanted = [samples[3].id, TransferID(99), samples[0].id, samples[1].id]
        try expectEqual(try await store.transfers(wanted), [samples[3], samples[0], samples[1]], "requested transfers")
        try await store.commit([.ended(samples[1].id, .cancelled)])
        let left = StoredTransfer(
            id: samples[1].id, specification: samples[1].specification.redacted, ending: .cancelled,
            key: samples[1].key)
        try expectEqual(try await store.transfers([samples[1].id]), [left], "an ended transfer")
        try expectEqual(try await store.transfers([]), [], "none")
        await store.close()
    }

    func insertedIsReturned(_ open: Opener) async throws {
        let samples = StoredTransferSamples.unfinished
        let store = try await open()
        for sample in samples.reversed() { try await store.commit([.inserted(sample)]) }
        try expectEqual(try await store.unfinished(), samples, "unfinished in the same store")
        await store.close()
        let reopened = try await open()
        try expectEqual(try await reopened.unfinished(), samples, "unfinished after a restart")
        await reopened.close()
    }

    func changesPersist(_ open: Opener) async throws {
        var expected = StoredTransferSamples.plain(1)
        let full = StoredTransferSamples.full(1)
        let store = try await open()
        try await store.commit([.inserted(expected)])
        let steps: [(StoreChange, (inout StoredTransfer) -> Void)] = [
            (.respecified(expected.id, full.specification), { $0.specification = full.specification }),
            (.checkpointed(expected.id, full.resume), { $0.resume = full.resume }),
            (.retried(expected.id, full.retry), { $0.retry = full.retry }),
            (.suspended(expected.id, true), { $0.isSuspended = true }),
            (.held(expected.id, full.hold), { $0.hold = full.hold }),
            (.relaunchDelayed(expected.id, full.relaunchDelay), { $0.relaunchDelay = full.relaunchDelay }),
            (.checkpointed(expected.id, nil), { $0.resume = nil }),
            (.retried(expected.id, nil), { $0.retry = nil }),
            (.suspended(expected.id, false), { $0.isSuspended = false }),
            (.held(expected.id, nil), { $0.hold = nil }),
            (.relaunchDelayed(expected.id, nil), { $0.relaunchDelay = nil }),
        ]
        for (change, apply) in steps {
            try await store.commit([change])
            apply(&expected)
            let beside = try await open()
            try expectEqual(try await beside.unfinished(), [expected], "unfinished after \(change)")
            await beside.close()
        }
        await store.close()
    }

    func endedIsNotUnfinished(_ open: Opener) async throws {
        let store = try await open()
        let stays = StoredTransferSamples.plain(100)
        try await store.commit([.inserted(stays)])
        for (index, ending) in StoredTransferSamples.endings.enumerated() {
            let transfer = StoredTransferSamples.full(Int64(index) + 1)
            try await store.commit([.inserted(transfer)])
            try await store.commit([.ended(transfer.id, ending)])
            try expectEqual(try await store.unfinished(), [stays], "unfinished after \(ending)")
            for change in StoredTransferSamples.changes(of: transfer.id) {
                try await expectRefusal(.noSuchTransfer, "\(change) of an ended transfer", { [change] }, store)
            }
        }
        var endedBefore = StoredTransferSamples.full(200)
        endedBefore.ending = .cancelled
        try await store.commit([.inserted(endedBefore)])
        try expectEqual(try await store.unfinished(), [stays], "unfinished after an ended transfer was inserted")
        await store.close()
    }
}
