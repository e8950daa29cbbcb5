// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
package import TransferEngine
package import TransferFiles
package import TransferModel

/// The messages between a program and its worker process, sent as frames of a known length.
///
/// Both ends are usually the same binary. `version` detects a worker program of another build.
package enum WireFormat {
    /// The descriptor number of the socket in the worker.
    package static let socketNumber = ChildProgram.passedFileNumber
    /// The version of the message format. Increased with every change of a message.
    package static let version = 9
    /// The maximum length of a frame in bytes. A longer frame is a fault of the peer.
    package static let longestFrame = 64 << 20
    /// The maximum length of a frame from a worker, which is not trusted. Allows a response of 1 MiB, which may take
    /// up six times that size as text.
    package static let longestMessage = 8 << 20

    /// Returns a message as a frame: its length in four bytes of little-endian order, and JSON.
    package static func frame(_ message: some Encodable) throws -> [UInt8] {
        let body = try JSONEncoder().encode(message)
        guard body.count <= longestFrame else { throw WireError("a message of \(body.count) bytes is too long") }
        return withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + body
    }

    /// Decodes the body of a frame.
    package static func message<Message: Decodable>(
        _ type: Message.Type, in body: some Sequence<UInt8>
    ) throws -> Message {
        try JSONDecoder().decode(type, from: Data(body))
    }
}

/// An invalid message from the peer.
package struct WireError: Error, Hashable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// An order to a worker.
package enum WorkerOrder: Hashable, Sendable, Codable {
    /// Configure the worker. Must be the first message.
    case configure(version: Int, HTTPExecutorConfiguration)
    /// Start an attempt. Includes the state of the attempt's files, because a worker has no access to paths.
    case start(TransferJob, PreparedFiles)
    /// Receive the reply to a file request of the attempt.
    case file(TransferID, FileReply)
    case stop(TransferID)
    /// Delete the upload at its server.
    case discard(TransferJob)
    /// Replace the rate limits.
    case limits(RateLimits)
    /// Reply with `probed` once every component that transfers depend on has made progress.
    case probe(Int)
    /// Stop all attempts, report their ends, and exit.
    case shutDown
}

/// A message from a worker.
package enum WorkerMessage: Hashable, Sendable, Codable {
    /// The reply to `configure`.
    case ready(version: Int, WorkerConfinement)
    /// The reply to `configure` if no executor can be created.
    case unusable(message: String)
    case report(TransferID, ExecutorReport)
    /// A request for an operation on the files of an attempt.
    case file(TransferID, FileRequest)
    case probed(Int)
}

/// Splits the bytes from a socket into frames.
package struct FrameBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    private let longestFrame: Int

    package init(longestFrame: Int = WireFormat.longestFrame) { self.longestFrame = longestFrame }

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 1 << 20 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// Removes and returns the contents of the next complete frame. Returns `nil` if more bytes are needed.
    package mutating func next() throws(WireError) -> [UInt8]? {
        guard bytes.count - start >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
        guard length <= longestFrame else {
            throw WireError("frame length \(length) exceeds the limit of \(longestFrame) bytes")
        }
        guard bytes.count - start - 4 >= length else { return nil }
        let body = Array(bytes[(start + 4)..<(start + 4 + length)])
        start += 4 + length
        return body
    }
}
