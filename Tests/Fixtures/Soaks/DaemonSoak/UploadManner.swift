// SPDX-License-Identifier: Apache-2.0

/// How a file is sent; the beginning of its path at the server tells.
enum UploadManner: String, CaseIterable, Sendable {
    /// In one request, which starts over after an interruption.
    case put
    /// By the draft of resumable uploads.
    case draft
    /// By tus.
    case tus

    /// The manner that a path at the server names; nil for a download.
    init?(path: String) { self.init(rawValue: String(path.dropFirst().prefix { $0 != "-" })) }

    var method: String { self == .tus ? "POST" : "PUT" }

    /// A path that names this manner.
    func path(_ number: Int) -> String { "/\(rawValue)-\(number).bin" }
}
