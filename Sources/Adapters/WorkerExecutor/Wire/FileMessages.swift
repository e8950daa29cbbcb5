// SPDX-License-Identifier: Apache-2.0
package import TransferFiles
package import TransferModel

/// A worker's request for one of its attempts' files. It names no path.
package enum FileRequest: Hashable, Sendable, Codable {
    /// Open the partial file. Answered with `opened`, which a descriptor comes with.
    case open(ServerFile)
    /// Give the complete partial file its final name. The answer is nil where it is that of `open`, as nearly always.
    case adopt(ServerFile?, size: Int64)
    /// Remove the partial file. Not answered.
    case remove
}

/// The parent's answer to a `FileRequest`.
package enum FileReply: Hashable, Sendable, Codable {
    /// The partial file is open; its path is for messages to people.
    case opened(path: String)
    case adopted(CompletedFile)
    /// The partial file is not what the worker left: somebody else changed it.
    case changed
    case failed(FileFailure)
}

extension WorkerOrder {
    /// Whether a descriptor comes with the order.
    package var hasDescriptor: Bool {
        switch self {
        case .start(_, .upload), .file(_, .opened): true
        case .start, .file, .configure, .stop, .discard, .limits, .probe, .shutDown: false
        }
    }
}
