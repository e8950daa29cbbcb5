// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import Synchronization
public import TransferEngine
public import TransferModel
internal import TransferPolicy
public import TransferTesting

/// A harness for the executor port's contract tests: an executor that moves real bytes, a
/// loopback server, and a folder.
public final class ServerHarness: TransferExecutorHarness {
    private final class Deliveries: Sendable {
        let byPath = Mutex<[String: TransferDelivery]>([:])
        private let contents = Mutex<[Int64: [UInt8]]>([:])

        /// Returns a file of the given size. Each size is generated only once, because generation is slow.
        func file(size: Int64) -> ServedFile {
            let bytes = contents.withLock { contents in
                let bytes = contents[size] ?? ServedFile.content(Int(size))
                contents[size] = bytes
                return bytes
            }
            return ServedFile(bytes: bytes)
        }
    }

    /// The executor under test.
    public let executor: any TransferExecutor
    private let root: String
    private let server: HostileServer
    private let deliveries = Deliveries()

    /// Creates a harness around the executor that `make` returns.
    ///
    /// - Parameter make: A closure that receives the folder for partial files.
    public init(_ make: (String) throws -> any TransferExecutor) throws {
        server = try HostileServer { [deliveries] request, connection in
            guard let delivery = deliveries.byPath.withLock({ $0[request.target] }) else {
                connection.respond("404 Not Found")
                return
            }
            let file = deliveries.file(size: delivery.size)
            file.serve(request, connection, stallingAt: Int(delivery.end))
        }
        root = NSTemporaryDirectory() + "transfer-harness-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        executor = try make(root)
    }

    /// Returns a job for a transfer that the server delivers as described.
    public func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob {
        deliveries.byPath.withLock { $0["/\(id)"] = delivery }
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: server.url("/\(id)"), destination: Destination(directory: root + "/out", name: "file"),
            idleTimeoutSeconds: 20, traits: traits)
        return TransferJob(id: id, specification: specification, resume: resume)
    }

    /// Returns the size in bytes of the partial or finished file at `path`, or `nil` if there is no file.
    public func size(ofFileAt path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int64
    }

    /// Returns a Boolean value that indicates whether the finished file equals the server's file, byte for byte.
    public func isRight(_ file: CompletedFile, for id: TransferID) -> Bool {
        guard let delivery = deliveries.byPath.withLock({ $0["/\(id)"] }) else { return false }
        return FileManager.default.contents(atPath: file.path) == Data(deliveries.file(size: delivery.size).bytes)
    }

    /// Stops the server and removes the folder.
    public func close() async {
        server.stop()
        try? FileManager.default.removeItem(atPath: root)
    }
}
