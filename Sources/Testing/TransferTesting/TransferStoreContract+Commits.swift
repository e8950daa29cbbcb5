// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel
internal import TransferScheduling

// Checks of the effects of commits, and of refused commits.

extension TransferStoreContract {
    func commitIsAllOrNothing(_ open: Opener) async throws {
        let store = try await open()
        let kept = StoredTransferSamples.plain(1)
        try await store.commit([.inserted(kept)])
        let unknown = TransferID(77)
        try await expectRefusal(
            .noSuchTransfer, "a commit whose last change is impossible",
            {
                [
                    .inserted(StoredTransferSamples.plain(2)), .suspended(kept.id, true), .ended(kept.id, .cancelled),
                    .suspended(unknown, true),
                ]
            }, store)
        try expectEqual(try await store.unfinished(), [kept], "unfinished after the refused commit")
        await store.close()
        let reopened = try await open()
        try expectEqual(try await reopened.unfinished(), [kept], "unfinished after a restart")
        await reopened.close()
    }

    func unknownIsRefused(_ open: Opener) async throws {
        let store = try await open()
        for change in StoredTransferSamples.changes(of: TransferID(5)) {
            try await expectRefusal(.noSuchTransfer, "\(change) of an unknown transfer", { [change] }, store)
        }
        await store.close()
    }

    func duplicateIsRefused(_ open: Opener) async throws {
        let store = try await open()
        let first = StoredTransferSamples.plain(3)
        try await store.commit([.inserted(first)])
        try await expectRefusal(nil, "the same identifier again", { [.inserted(StoredTransferSamples.full(3))] }, store)
        try expectEqual(try await store.unfinished(), [first], "unfinished")
        await store.close()
    }

    func changesBuildOnOneAnother(_ open: Opener) async throws {
        let store = try await open()
        let (short, long) = (StoredTransferSamples.plain(1), StoredTransferSamples.plain(2))
        try await store.commit([
            .inserted(short), .inserted(long), .suspended(long.id, true), .suspended(long.id, false),
            .suspended(long.id, true), .ended(short.id, .cancelled),
        ])
        var expected = long
        expected.isSuspended = true
        try expectEqual(try await store.unfinished(), [expected], "unfinished")
        await store.close()
    }

    func concurrentCommits(_ open: Opener) async throws {
        let stores = [try await open(), try await open()]
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in Int64(1)...60 {
                let store = stores[Int(index % 2)]
                group.addTask {
                    let transfer = StoredTransferSamples.plain(index)
                    let isBad = index % 6 == 0
                    do {
                        try await store.commit(
                            [.inserted(transfer)] + (isBad ? [.suspended(TransferID(1000), true)] : []))
                        return false
                    } catch let error as TransferStoreError where isBad && error.code == .noSuchTransfer {
                        return true
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        try expectEqual(refused, 10, "refused commits")
        let kept = try await stores[0].unfinished().map(\.id.rawValue)
        try expectEqual(kept, (1...60).filter { $0 % 6 != 0 }, "kept transfers")
        for store in stores { await store.close() }
    }

    func statisticsPersist(_ open: Opener) async throws {
        let store = try await open()
        try expectEqual(try await store.statistics(), nil, "statistics before the first commit")
        let transfer = StoredTransferSamples.plain(1)
        for number in Int64(1)...2 {
            let sample = try StoredTransferSamples.statistics(number)
            try await store.commit([.statistics(sample), .inserted(StoredTransferSamples.plain(number))])
            try expectEqual(try await store.statistics(), sample, "statistics in the same store")
            let beside = try await open()
            try expectEqual(try await beside.statistics(), sample, "statistics in another store")
            await beside.close()
        }
        try await store.commit([.ended(transfer.id, .cancelled)])
        try await store.commit([
            .statistics(try StoredTransferSamples.statistics(3)), .statistics(PersistedStatistics()),
        ])
        await store.close()
        let reopened = try await open()
        try expectEqual(try await reopened.statistics(), PersistedStatistics(), "statistics after a restart")
        await reopened.close()
    }

    func statisticsArePartOfTheirCommit(_ open: Opener) async throws {
        let store = try await open()
        let sample = try StoredTransferSamples.statistics(1)
        try await store.commit([.statistics(sample)])
        try await expectRefusal(
            .noSuchTransfer, "a commit of statistics and an impossible change",
            { [.statistics(PersistedStatistics()), .suspended(TransferID(77), true)] }, store)
        try expectEqual(try await store.statistics(), sample, "statistics after the refused commit")
        await store.close()
    }

    func emptyCommit(_ open: Opener) async throws {
        let store = try await open()
        try await store.commit([])
        try expectEqual(try await store.unfinished(), [], "unfinished")
        await store.close()
    }

    func closedThrows(_ open: Opener) async throws {
        let store = try await open()
        await store.close()
        await store.close()
        try await expectRefusal(nil, "a commit", { [.inserted(StoredTransferSamples.plain(1))] }, store)
        try await expectThrow("transfers") { _ = try await store.transfers([TransferID(1)]) }
        try await expectThrow("unfinished") { _ = try await store.unfinished() }
        try await expectThrow("learned") { _ = try await store.statistics() }
    }

    func expectRefusal(
        _ code: TransferStoreError.Code?, _ what: String, _ changes: () -> [StoreChange], _ store: any TransferStore
    ) async throws {
        do {
            try await store.commit(changes())
        } catch let error as TransferStoreError {
            if let code { try expectEqual(error.code, code, what) }
            try expect(!error.message.isEmpty, "\(what) was refused without a message")
            return
        }
        throw ContractFailure("\(what) was accepted")
    }

    private func expectThrow(_ what: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is TransferStoreError {
            return
        }
        throw ContractFailure("\(what) of a closed store did not throw")
    }
}
