// SPDX-License-Identifier: Apache-2.0
import Foundation
internal import TransferModel

extension WallTime {
    /// Converts a date, rounded to the microsecond. Dates outside the years 1677 to 2262 are clamped.
    init(_ date: Date) {
        let nanoseconds = (date.timeIntervalSince1970 * 1e6).rounded() * 1e3
        let isEarly = nanoseconds <= Double(Int64.min)
        self.init(nanosecondsSinceEpoch: Int64(exactly: nanoseconds) ?? (isEarly ? .min : .max))
    }
}

extension Date {
    /// Converts a wall-clock time.
    init(_ time: WallTime) { self.init(timeIntervalSince1970: Double(time.nanosecondsSinceEpoch) / 1e9) }
}
