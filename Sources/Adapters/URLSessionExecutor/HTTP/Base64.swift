// SPDX-License-Identifier: Apache-2.0

/// An encoder for Base64 (RFC 4648 §4), for `Authorization: Basic`.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                result.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : "=")
            }
        }
        return result
    }
}
