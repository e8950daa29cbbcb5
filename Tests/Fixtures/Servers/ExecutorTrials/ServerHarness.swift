// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import Synchronization
public import TransferEngine
public import TransferModel
internal import TransferPolicy
public import TransferTesting

/// An executor that moves real bytes, a server on loopback and a folder, for the contract of the port.
public final class ServerHarness: TransferExecutorHarness {
    private final class Deliveries: Sendable {
        let byPath = Mutex<[String: TransferDelivery]>([:])
        private let contents = Mutex<[Int64: [UInt8]]>([:])

        /// The file of that size; made once, since that takes a while.
        func file(size: Int64) -> ServedFile {
            let bytes = contents.withLock { contents in
                let bytes = contents[size] ?? ServedFile.content(Int(size))
                contents[size] = bytes
                return bytes
            }
            return ServedFile(bytes: bytes)
        }
    }

    /// The executor that is tried.
    public let executor: any TransferExecutor
    private let root: String
    private let server: HostileServer
    private let deliveries = Deliveries()

    /// A harness around the executor that `make` makes, whose partial files go below the folder that it is given.
    public init(_ make: (String) throws -> any TransferExecutor) throws {
        server = try HostileServer { [deliveries] request, connection in
            guard let delivery = deliveries.byPath.withLock({ $0[request.target] }) else {
                connection.answer("404 Not Found")
                return
            }
            let file = deliveries.file(size: delivery.size)
            file.serve(request, connection, stallingAt: Int(delivery.end))
        }
        root = NSTemporaryDirectory() + "transfer-harness-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        executor = try make(root)
    }

    /// An attempt of that transfer which the server will answer so.
    public func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob {
        deliveries.byPath.withLock { $0["/\(id)"] = delivery }
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: server.url("/\(id)"), destination: Destination(directory: root + "/out", name: "file"),
            idleTimeoutSeconds: 20, traits: traits)
        return TransferJob(id: id, specification: specification, resume: resume)
    }

    /// How many bytes the partial or finished file at `path` has.
    public func size(ofFileAt path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int64
    }

    /// Whether the finished file is what the server has under that transfer, to the last byte.
    public func isRight(_ file: CompletedFile, for id: TransferID) -> Bool {
        guard let delivery = deliveries.byPath.withLock({ $0["/\(id)"] }) else { return false }
        return FileManager.default.contents(atPath: file.path) == Data(deliveries.file(size: delivery.size).bytes)
    }

    /// Ends the server and removes the folder.
    public func close() async {
        server.stop()
        try? FileManager.default.removeItem(atPath: root)
    }
}
