// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// A parser for lengths of time: `90s`, `30m`, `2h`, `1d`, or plain seconds.
struct TimeSpan {
    /// The length in seconds, 1 or more.
    let seconds: Int64

    /// Parses `text`.
    ///
    /// - Parameter alternative: A further permitted value for the error message, such as `, or 0`.
    /// - Throws: `UsageError` that names the option and the expected form.
    init(_ text: String, option: String, alternative: String = "") throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? text[...] : text.dropLast()), number > 0,
            case let (product, overflows) = number.multipliedReportingOverflow(by: unit ?? 1), !overflows
        else {
            throw UsageError("not a valid duration: --\(option) '\(text)'; use 90s, 30m, 2h, or 1d\(alternative)")
        }
        seconds = product
    }
}
