// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferModel

/// A date as it goes over the bus: RFC 3339, in UTC with milliseconds where the daemon writes it.
package struct BusDate: Hashable, Sendable, CustomStringConvertible {
    /// The date.
    package var wall: WallTime

    /// A date.
    package init(_ wall: WallTime) { self.wall = wall }

    /// The date so many milliseconds after 1970-01-01T00:00:00Z; saturating.
    package init(milliseconds: Int64) {
        let (nanoseconds, isTooLarge) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        wall = WallTime(nanosecondsSinceEpoch: isTooLarge ? (milliseconds < 0 ? .min : .max) : nanoseconds)
    }

    /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    package var milliseconds: Int64 {
        let (quotient, rest) = wall.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// Reads RFC 3339 with or without a fraction of a second; nil where it is none.
    package init?(parsing text: String) {
        let plain = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? plain.parse(text)) ?? (try? fractional.parse(text)) else { return nil }
        let seconds = date.timeIntervalSince1970
        guard abs(seconds) < 9e9 else { return nil }
        wall = WallTime(nanosecondsSinceEpoch: Int64((seconds * 1e3).rounded()) * 1_000_000)
    }

    /// The date as text, what is below a millisecond left out.
    package var description: String {
        // Whole numbers, no formatter: a list has ten thousand of these.
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
            var place: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
            while place > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / place % 10))
                place /= 10
            }
            text.append(UInt8(ascii: end))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
