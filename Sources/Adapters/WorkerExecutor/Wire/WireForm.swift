// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
package import TransferEngine
package import TransferFiles
package import TransferModel

/// What is said between a program and its worker process: messages in frames of a known length.
///
/// Both ends are nearly always the same binary; `version` keeps a worker program of another build from being believed.
package enum WireForm {
    /// The number of the worker's socket in the worker.
    package static let socketNumber = ChildProgram.passedFileNumber
    /// Raised whenever a message's form changes.
    package static let version = 5
    /// No frame is longer: one that says so is a fault of the other end.
    package static let longestFrame = 64 << 20
    /// The same of what a worker says, which is not to be trusted: an answer of 1 MiB, which may take twice that as text.
    package static let longestMessage = 4 << 20

    /// One message as it goes over the socket: its length in four bytes, the lowest first, and what `WireEncoder` makes
    /// of it.
    package static func frame(_ message: some Encodable) throws -> [UInt8] {
        let body = try WireEncoder.encode(message)
        guard body.count <= longestFrame else { throw WireError("a message of \(body.count) bytes is too long") }
        return withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + body
    }
}

/// What the other end said makes no sense.
package struct WireError: Error, Hashable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// What a worker is told.
package enum WorkerOrder: Hashable, Sendable, Codable {
    /// The first message.
    case configure(version: Int, URLSessionExecutorConfiguration)
    /// With what was found of its files, since a worker reaches no path.
    case start(TransferJob, PreparedFiles)
    /// The answer to a request of that attempt.
    case file(TransferID, FileReply)
    case stop(TransferID)
    /// Have what a server has of an upload deleted there.
    case discard(TransferJob)
    /// In place of those before.
    case limits(RateLimits)
    /// Answered with `probed` once everything that a transfer needs has been seen to move.
    case probe(Int)
    /// End all attempts, tell their ends, and exit.
    case shutDown
}

/// What a worker tells.
package enum WorkerMessage: Hashable, Sendable, Codable {
    /// The answer to `configure`; `warning` is a sentence on the repair of URLSession that belongs into the log.
    case ready(version: Int, isRepaired: Bool, warning: String?, WorkerConfinement)
    /// The answer to `configure` where there can be no executor.
    case unusable(message: String)
    case report(TransferID, ExecutorReport)
    /// Asks for something to be done to the files of an attempt.
    case file(TransferID, FileRequest)
    case probed(Int)
}

/// Cuts what comes from a socket into frames.
package struct FrameBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    private let longestFrame: Int

    package init(longestFrame: Int = WireForm.longestFrame) { self.longestFrame = longestFrame }

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 1 << 20 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// The next whole frame's content; nil where more has to come.
    package mutating func next() throws(WireError) -> [UInt8]? {
        guard bytes.count - start >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
        guard length <= longestFrame else { throw WireError("a frame of \(length) bytes was announced") }
        guard bytes.count - start - 4 >= length else { return nil }
        let body = Array(bytes[(start + 4)..<(start + 4 + length)])
        start += 4 + length
        return body
    }
}
