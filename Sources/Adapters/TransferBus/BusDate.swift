// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferPolicy

/// A date as it goes over the bus: RFC 3339, in UTC with milliseconds where the daemon writes it.
package struct BusDate: Hashable, Sendable, CustomStringConvertible {
    /// The date.
    package var wall: WallTime

    /// A date.
    package init(_ wall: WallTime) { self.wall = wall }

    /// Reads RFC 3339 with or without a fraction of a second; nil where it is none.
    package init?(parsing text: String) {
        let plain = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? plain.parse(text)) ?? (try? fractional.parse(text)) else { return nil }
        let seconds = date.timeIntervalSince1970
        guard abs(seconds) < 9e9 else { return nil }
        wall = WallTime(nanosecondsSinceEpoch: Int64((seconds * 1e3).rounded()) * 1_000_000)
    }

    /// The date as text.
    package var description: String {
        Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
