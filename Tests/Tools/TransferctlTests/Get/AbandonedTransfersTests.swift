// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import Testing
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("What interrupted 'get' commands leave")
struct AbandonedTransfersTests {
    private static func specification(_ name: String) -> TransferSpecification {
        TransferSpecification(
            url: "http://h/\(name)", destination: Destination(directory: "/d", name: nil),
            traits: TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 1)))
    }

    @Test("Partial files unchanged for thirty days go with their transfers, except those that the command continues")
    func removed() async throws {
        let directory = NSTemporaryDirectory() + "abandoned-\(UUID().uuidString.prefix(8))"
        let partials = directory + "/partial"
        try FileManager.default.createDirectory(atPath: partials, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: directory + "/queue.sqlite", scope: .keys([])))
        // Interrupted, failed, continued, and recent.
        var ids: [TransferID] = []
        let keys = (0..<4).map { String(repeating: "\($0)", count: 64) }
        for number in 0..<4 {
            let path = "\(partials)/\(number + 1)-0123456789abcdef.part"
            try Data(count: 700).write(to: URL(fileURLWithPath: path))
            let days = number == 3 ? 29.0 : 31
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: path)
            let resume = ResumePoint(path: path, offset: 700, total: 1000, validator: nil, bootID: "b")
            ids += try await store.commit([
                .submitted(NewTransfer(Self.specification("\(number)"), key: keys[number], resume: resume))
            ])
            if number == 1 {
                let failure = TransferFailure(cause: .connection, message: "gone")
                try await store.commit([.ended(ids[1], .failed(failure, keeping: resume))])
            }
        }
        try await AbandonedTransfers.remove(
            from: store, in: directory, locks: TransferLocks(directory: directory), continued: [keys[2]])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: partials).sorted() == [
                "3-0123456789abcdef.part", "4-0123456789abcdef.part",
            ])
        #expect(try await store.transfers(ids).map(\.id) == [ids[2], ids[3]])
        await store.close()
    }
}
