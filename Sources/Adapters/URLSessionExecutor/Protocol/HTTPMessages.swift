// SPDX-License-Identifier: Apache-2.0
import TransferEngine

/// A GET request as it is to be sent.
struct RequestHead: Hashable, Sendable {
    var url: String
    var fields: [HeaderField]

    func value(_ name: String) -> String? { fields.firstValue(name) }
}

/// The head of an answer as it came.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var fields: [HeaderField]

    func value(_ name: String) -> String? { fields.firstValue(name) }

    /// The length in `Content-Length`; nil where there is none or it makes no sense.
    var contentLength: Int64? {
        guard let text = value("Content-Length"), let length = Int64(text), length >= 0 else { return nil }
        return length
    }

    /// Whether the body is something else than the file's own bytes.
    var isEncoded: Bool {
        guard let coding = value("Content-Encoding")?.lowercased() else { return false }
        return !coding.isEmpty && coding != "identity"
    }

    /// The media type without its parameters, in lower case.
    var mediaType: String {
        let type = value("Content-Type") ?? ""
        return type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    }
}

extension [HeaderField] {
    func firstValue(_ name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }?.value
    }

    func without(_ names: Set<String>) -> [HeaderField] { filter { !names.contains($0.name.lowercased()) } }
}
