// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import Testing
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("What interrupted 'get' commands leave")
struct InterruptedTransfersTests {
    private static func specification(_ name: String) -> TransferSpecification {
        TransferSpecification(
            url: "http://u:secret@h/\(name)?token=1", destination: Destination(directory: "/d", name: nil),
            traits: TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 1)))
    }

    /// Runs `body` with a folder of three transfers with partial files: interrupted, failed, and finished without one.
    private func withInterrupted(_ body: (InterruptedTransfers, _ partials: String) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "interrupted-\(UUID().uuidString.prefix(8))"
        let partials = directory + "/partial"
        try FileManager.default.createDirectory(atPath: partials, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: directory + "/queue.sqlite", scope: .keys([])))
        var ids: [TransferID] = []
        for (number, name) in ["part", "failed", "done"].enumerated() {
            let key = String(repeating: "\(number)", count: 64)
            let path = "\(partials)/\(number + 1)-0123456789abcdef.part"
            if number < 2 { try Data(count: 700).write(to: URL(fileURLWithPath: path)) }
            let resume = ResumePoint(path: path, offset: 700, total: 1000, validator: nil, bootID: "b")
            ids += try await store.commit([
                .submitted(NewTransfer(Self.specification(name), key: key), resume: number < 2 ? resume : nil)
            ])
            if number == 1 {
                let failure = TransferFailure(cause: .connection, message: "gone")
                try await store.commit([.ended(ids[1], .failed(failure, keeping: resume))])
            }
        }
        try await store.commit([.ended(ids[2], .completed(TransferCompletion(status: 200, file: nil)))])
        await store.close()
        try await body(InterruptedTransfers(directory: directory), partials)
    }

    @Test("Unfinished and failed transfers with data are listed, without secrets")
    func listed() async throws {
        try await withInterrupted { interrupted, _ in
            let items = try await interrupted.items()
            #expect(items.map { $0.cells[3] } == ["http://h/part", "http://h/failed"])
            #expect(items.map { $0.cells[2] } == ["interrupted", "failed"])
            #expect(items.map { $0.cells[0] } == ["700 B of 1.00 kB", "700 B of 1.00 kB"])
            #expect(items[0].object["url"] as? String == "http://h/part")
        }
    }

    @Test("A purge deletes transfers and files, and nothing of a running command")
    func purged() async throws {
        try await withInterrupted { interrupted, partials in
            let (transfers, bytes) = try await interrupted.purge()
            #expect((transfers, bytes) == (2, 1400))
            #expect(try FileManager.default.contentsOfDirectory(atPath: partials).isEmpty)
            #expect(try await interrupted.items().isEmpty)
            #expect(try await interrupted.purge() == (0, 0))
        }
    }

    @Test("Without a queue there is nothing, and nothing is created")
    func nothing() async throws {
        let directory = NSTemporaryDirectory() + "interrupted-\(UUID().uuidString.prefix(8))"
        #expect(try await InterruptedTransfers(directory: directory).items().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: directory))
    }
}
