// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// Reads a length of time: `90s`, `30m`, `2h`, `1d`, or plain seconds.
struct TimeSpan {
    /// How long it is.
    let seconds: Int64

    /// Reads `text`.
    ///
    /// - Throws: `UsageError` that names the option and what would be right.
    init(_ text: String, option: String) throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? text[...] : text.dropLast()), number > 0,
            case let (product, isOver) = number.multipliedReportingOverflow(by: unit ?? 1), !isOver
        else {
            throw UsageError("--\(option) '\(text)' is no length of time; write 90s, 30m, 2h or 1d")
        }
        seconds = product
    }
}
