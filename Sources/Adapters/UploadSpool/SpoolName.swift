// SPDX-License-Identifier: Apache-2.0

/// The names of kept files: a hash of the app, which groups files for the reader of a listing, and 128 random bits.
///
/// No part of a name comes from a caller.
enum SpoolName {
    private static let hashDigits = 16
    private static let randomDigits = 32

    static func random(for app: String) -> String {
        let number = UInt128.random(in: .min ... .max)
        return hexadecimal(UInt128(hash(app)), digits: hashDigits) + "-" + hexadecimal(number, digits: randomDigits)
    }

    /// Returns whether a file with the name in the spool's folder belongs to the spool.
    static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [hashDigits, randomDigits]
            && parts.joined().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }

    /// The 64-bit FNV-1a hash. A collision between two apps is harmless, because files are counted by the app's name.
    private static func hash(_ app: String) -> UInt64 {
        app.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private static func hexadecimal(_ number: UInt128, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
