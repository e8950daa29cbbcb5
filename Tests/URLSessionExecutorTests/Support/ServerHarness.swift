// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import Synchronization
import TransferEngine
import TransferPolicy
import TransferTesting

/// A `URLSessionExecutor`, a server on loopback and a folder, for the contract of the port.
final class ServerHarness: TransferExecutorHarness {
    private final class Deliveries: Sendable {
        let byPath = Mutex<[String: TransferDelivery]>([:])
    }

    private let bench: Bench
    private let server: HostileServer
    private let deliveries = Deliveries()

    var executor: any TransferExecutor { bench.executor }

    init(repaired: Bool) throws {
        server = try HostileServer { [deliveries] request, connection in
            guard let delivery = deliveries.byPath.withLock({ $0[request.target] }) else {
                connection.answer("404 Not Found")
                return
            }
            let file = Self.file(delivery)
            let body = file.answer(to: request).body
            let room = Int(delivery.end) - body.startIndex
            guard room < body.count else { return file.serve(request, connection) }
            file.serve(request, connection, onlyBytes: max(0, room))
            connection.waitForClient()
        }
        bench = try Bench(repaired: repaired)
    }

    func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob {
        deliveries.byPath.withLock { $0["/\(id)"] = delivery }
        return TransferJob(id: id, specification: bench.specification(server.url("/\(id)")), resume: resume)
    }

    func size(ofFileAt path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int64
    }

    func isRight(_ file: CompletedFile, for id: TransferID) -> Bool {
        guard let delivery = deliveries.byPath.withLock({ $0["/\(id)"] }) else { return false }
        return FileManager.default.contents(atPath: file.path) == Data(Self.file(delivery).bytes)
    }

    func close() async {
        server.stop()
        try? FileManager.default.removeItem(atPath: bench.root)
    }

    private static func file(_ delivery: TransferDelivery) -> ServedFile {
        ServedFile(bytes: ServedFile.content(Int(delivery.size)))
    }
}
