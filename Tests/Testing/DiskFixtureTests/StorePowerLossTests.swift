// SPDX-License-Identifier: Apache-2.0
import DiskFixture
import Foundation
import ProcessFixtures
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@Suite("The queue on a disk with power losses", .serialized)
struct StorePowerLossTests {
    @Test("after twenty power losses during commits, every acknowledged commit is complete")
    func lost() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed of the power losses: \(seed)")
        let disk = try FaultyDiskFolder()
        disk.generator = SplitMix64(seed: seed)
        // Slow writes make the power loss likely to fall into a write instead of between commits.
        disk.fixture.setDelay(microseconds: 1000)
        var acknowledged: Set<String> = []
        var lost = 0
        for round in 1...20 {
            let child = try disk.start("StoreChild", [disk.path("state/queue.sqlite"), "1000000"])
            for _ in 0..<Int.random(in: 1...30, using: &disk.generator) {
                acknowledged.insert(try await child.output.next().text)
            }
            // The kill falls anywhere into the next commit, which consists of some writes and a sync.
            try await Task.sleep(for: .microseconds(Int.random(in: 0...6000, using: &disk.generator)))
            try await child.kill()
            acknowledged.formUnion(try await child.output.rest())
            let loss = PowerLoss(using: &disk.generator)
            lost += try disk.fixture.losePower(loss, using: &disk.generator).lost

            let store = try SQLiteStore(SQLiteStoreConfiguration(path: disk.path("state/queue.sqlite")))
            var kept: Set<String> = []
            for transfer in try await store.unfinished() {
                kept.insert("inserted \(transfer.id)")
                if transfer.isSuspended { kept.insert("checkpointed \(transfer.id)") }
                #expect(transfer.isSuspended == (transfer.resume?.offset == transfer.id.rawValue), "half a commit")
            }
            await store.close()
            #expect(acknowledged.subtracting(kept).isEmpty, "lost in round \(round) by \(loss)")
            // The journal does not have the operations of this process. From here on, their results count as durable.
            try disk.fixture.begin()
        }
        #expect(acknowledged.count >= 20)
        #expect(lost > 0, "nothing was ever taken")
    }
}
