// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferModel

/// A date in the form that the bus carries: RFC 3339. The daemon writes dates in UTC with milliseconds.
package struct BusDate: Hashable, Sendable, CustomStringConvertible {
    /// The date as a wall-clock time.
    package var wall: WallTime

    /// Creates a bus date from a wall-clock time.
    package init(_ wall: WallTime) { self.wall = wall }

    /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    private var milliseconds: Int64 {
        let (quotient, rest) = wall.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// Parses RFC 3339 with or without fractional seconds. Returns `nil` if the text is not a date.
    package init?(parsing text: String) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: ".")))
        guard let date = try? style.parse(text) else { return nil }
        let seconds = date.timeIntervalSince1970
        guard seconds.magnitude < 9e9 else { return nil }
        wall = WallTime(nanosecondsSinceEpoch: Int64((seconds * 1e3).rounded()) * 1_000_000)
    }

    /// The date as text. Anything below a millisecond is left out.
    package var description: String {
        // The style rounds down, and a date is less exact than a millisecond's end.
        let seconds = (Double(milliseconds) + 0.5) / 1000
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
