// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The standard streams of the program.
enum Console {
    /// Writes a line to standard output.
    static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error, in place of a bar that may stand there.
    static func error(_ message: String) {
        ProgressReport.clearLine()
        write(message + "\n", to: STDERR_FILENO)
    }

    /// Writes text unchanged.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                // The reader has closed the stream and wants no more output.
                return
            }
        }
    }

    /// Whether results go to a terminal that can show colors.
    static var isTerminal: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }
}

/// Durations in the notation of the command line: `90`, `90s`, `40m`, `1.5h`, `2d`.
enum DurationText {
    /// Returns a duration in seconds, above 0 and at most 4·10⁹.
    static func seconds(_ text: String, for option: String) throws -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        let number = unit == nil ? text : String(text.dropLast())
        guard let value = Double(number), value > 0, value.isFinite, value * (unit ?? 1) <= 4e9 else {
            throw UsageError("\(option): not a duration above 0: '\(text)'; examples: 90s, 40m, 1.5h, 2d")
        }
        return value * (unit ?? 1)
    }
}
