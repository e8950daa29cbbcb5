// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorFixture {
    var sourcePath: String { root + "/source" }

    /// Returns bytes in which all blocks differ. Faster than `ServedFile.content`.
    static func blocks(_ megabytes: Int) -> [UInt8] {
        let block = ServedFile.content(1 << 20)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(megabytes << 20)
        for index in 0..<megabytes {
            bytes += block
            bytes[index << 20] = UInt8(index)
        }
        return bytes
    }

    /// Writes a file with the given bytes and returns a specification that uploads the file.
    func upload(
        _ bytes: [UInt8], to url: String, _ method: UploadSource.Method = .put,
        resumption: UploadSource.Resumption = .automatic
    ) throws -> TransferSpecification {
        try Data(bytes).write(to: URL(fileURLWithPath: sourcePath))
        let source = try UploadSource(
            fileAt: sourcePath, method: method, contentType: "text/plain", resumption: resumption)
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        return TransferSpecification(url: url, upload: source, idleTimeoutSeconds: 20, traits: traits)
    }
}

/// Expects equal files. On failure, reports the first difference instead of printing millions of numbers.
func expectSame(_ actual: [[UInt8]], _ expected: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation) {
    guard actual != expected else { return }
    let sizes = "\(actual.map(\.count)) bytes instead of \(expected.map(\.count))"
    let difference = zip(actual.joined(), expected.joined()).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    Issue.record(
        "\(sizes), different from \(difference.map(String.init) ?? "the end") on", sourceLocation: sourceLocation)
}

/// The bodies that a server received.
final class Received: Sendable {
    private let state = Mutex<[[UInt8]]>([])
    var bodies: [[UInt8]] { state.withLock { $0 } }

    /// Stores bytes that a handler has read.
    func keep(_ body: [UInt8]) { state.withLock { $0.append(body) } }

    /// Reads and stores the body of the request. Returns `false` if the body is incomplete.
    func readBody(_ request: HostileRequest, _ connection: HostileConnection) -> Bool {
        guard let body = connection.readBody(of: request) else { return false }
        keep(body)
        return true
    }
}

extension ExecutorOutcome {
    var responseText: String? { completion?.answer.map { String(decoding: $0.body, as: UTF8.self) } }
}

/// A signal between a server's thread and a test.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }

    /// Waits for the signal and blocks the thread.
    func block() { semaphore.wait() }

    /// Waits for the signal without blocking the test's thread.
    func wait() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
