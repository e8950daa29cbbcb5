// SPDX-License-Identifier: Apache-2.0

extension HeaderField {
    /// Why a field cannot be sent.
    public enum Fault: Hashable, Sendable {
        /// The name is none (RFC 9110 §5.1).
        case noName
        /// The value has a control character in it, which could end its line (RFC 9110 §5.5).
        case controlCharacter
        /// The transfer itself sets it.
        case reserved
    }

    /// Fields that the transfer itself needs to set.
    private static let reserved: Set<String> = [
        "range", "if-range", "if-none-match", "if-modified-since", "content-length", "transfer-encoding", "connection",
        "host", "expect",
    ]

    /// What keeps a person or an app from giving this field; nil where nothing does.
    public var fault: Fault? {
        let isToken =
            !name.isEmpty
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
        guard isToken else { return .noName }
        guard !value.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) else {
            return .controlCharacter
        }
        return Self.reserved.contains(name.lowercased()) ? .reserved : nil
    }
}
