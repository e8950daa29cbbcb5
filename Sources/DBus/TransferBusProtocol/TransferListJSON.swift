// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
package import TransferModel

/// A list of transfers as JSON: an array of objects with the keys of the bus method `List`.
///
/// GDBus visits each value of a message separately, at both ends. A list of ten thousand transfers is therefore sent as one
/// block of bytes.
package enum TransferListJSON {
    /// Returns the list as UTF-8.
    package static func bytes(of rows: [TransferStatus]) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(rows.map(\.fields)))
    }

    /// Parses a list.
    ///
    /// - Throws: `BusFault` if the text is not such a list, or if a transfer lacks a required value.
    package static func rows(_ bytes: [UInt8]) throws -> [TransferStatus] {
        let list: [[String: VariantValue]]
        do { list = try JSONDecoder().decode([[String: VariantValue]].self, from: Data(bytes)) } catch {
            throw BusFault(.invalidArgument, "the daemon's reply is not a list of transfers")
        }
        return try list.map { try TransferStatus($0) }
    }
}
