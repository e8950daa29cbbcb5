// SPDX-License-Identifier: Apache-2.0

/// The protocol of an upload, encoded in the beginning of its path at the server.
enum UploadProtocol: String, CaseIterable, Sendable {
    /// A single request, which starts over after an interruption.
    case put
    /// The draft for resumable uploads.
    case draft
    /// The tus protocol.
    case tus

    /// Creates the protocol from a path at the server. Returns `nil` for a download.
    init?(path: String) { self.init(rawValue: String(path.dropFirst().prefix { $0 != "-" })) }

    var method: String { self == .tus ? "POST" : "PUT" }

    /// Returns a path that encodes this protocol.
    func path(_ number: Int) -> String { "/\(rawValue)-\(number).bin" }
}
