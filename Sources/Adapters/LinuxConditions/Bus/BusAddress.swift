// SPDX-License-Identifier: Apache-2.0

/// Functions for the few parts of D-Bus addresses that are needed here.
enum BusAddress {
    /// Returns the path of the socket in an address; `nil` if no part of the address contains a path.
    static func socketPath(of address: String) -> String? {
        for part in address.split(separator: ";") where part.hasPrefix("unix:") {
            for pair in part.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
                return unescaped(pair.dropFirst("path=".count))
            }
        }
        return nil
    }

    /// Decodes percent escapes such as `%2f`.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
