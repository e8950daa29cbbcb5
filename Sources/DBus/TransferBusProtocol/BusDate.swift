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
        // Integer arithmetic without a formatter, because a list contains ten thousand dates.
        let seconds = wall.secondsSinceEpoch
        let milliseconds = self.milliseconds - seconds * 1000
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let rest = seconds - days * 86_400
        let day = CivilDate(daysSinceEpoch: days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        for (number, digits, end) in [
            (day.year, 4, "-"), (day.month, 2, "-"), (day.day, 2, "T"), (rest / 3600, 2, ":"),
            (rest % 3600 / 60, 2, ":"), (rest % 60, 2, "."), (milliseconds, 3, "Z"),
        ] as [(Int64, Int, Unicode.Scalar)] {
            var divisor: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: end))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
