// SPDX-License-Identifier: Apache-2.0
package import TransferFiles
package import TransferModel

/// A worker's request for the files of one of its attempts. Contains no path.
package enum FileRequest: Hashable, Sendable, Codable {
    /// Open the partial file. The reply `opened` includes a descriptor.
    case open(ServerFile)
    /// Give the complete partial file its final name. The server file is `nil` if it equals the server file of
    /// `open`, as in nearly every case.
    case adopt(ServerFile?, size: Int64)
    /// Remove the partial file. This request has no reply.
    case remove
}

/// The parent's reply to a `FileRequest`.
package enum FileReply: Hashable, Sendable, Codable {
    /// The partial file is open. The path is only for messages to the user.
    case opened(path: String)
    case adopted(CompletedFile)
    /// Another program has changed the partial file.
    case changed
    case failed(FileFailure)
}

extension WorkerOrder {
    /// A Boolean value that indicates whether a descriptor accompanies the order.
    package var hasDescriptor: Bool {
        switch self {
        case .start(_, .upload), .file(_, .opened): true
        case .start, .file, .configure, .stop, .discard, .limits, .probe, .shutDown: false
        }
    }
}
