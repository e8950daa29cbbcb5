// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferBusProtocol
import TransferModel

/// Formats for numbers, dates and text.
enum Formatting {
    /// Formats a number of bytes, such as `1.5 MB`. One kB is 1000 bytes, as in disk sizes and browsers.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return String(count) + " B" }
        // Integer arithmetic, because lists are long and a formatter takes ten times as long.
        var unit: Int64 = 1
        for name in ["kB", "MB", "GB", "TB"] {
            unit *= 1000
            guard count < unit / 100 * 99_995 || name == "TB" else { continue }
            let digits: Int64 = count < unit / 1000 * 9995 ? 100 : 10
            let step = unit / digits
            let rounded = count / step + (count % step >= step / 2 ? 1 : 0)
            let rest = rounded % digits
            return "\(rounded / digits).\(digits == 100 && rest < 10 ? "0" : "")\(rest) \(name)"
        }
        return "\(count) B"
    }

    /// Formats a number of seconds: `0:42`, `1:02:03`, or `3 d 4 h`.
    static func span(_ seconds: Int64) -> String {
        if seconds >= 86_400 { return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h" }
        let (hours, minutes, rest) = (seconds / 3600, seconds % 3600 / 60, seconds % 60)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
    }

    /// Formats a time as RFC 3339 in UTC with milliseconds.
    static func rfc3339(_ time: WallTime) -> String { BusDate(time).description }

    /// Returns the number of terminal columns that a text occupies. East Asian wide characters occupy two columns,
    /// and combining characters occupy none.
    static func columns(_ text: some StringProtocol) -> Int {
        isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + columns($1) }
    }

    /// Returns whether every character is printable ASCII and one column wide. This is true of most lines. Checking all
    /// bytes is faster than looking up the category of one character.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    private static func columns(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // The ranges of East Asian Width W and F in Unicode that occur in file names, and emoji.
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }

    /// Returns the text without control characters, cut to `width` columns. A cut text ends in an ellipsis.
    static func fitted(_ text: String, width: Int) -> String {
        let clean = text.printable
        guard columns(clean) > width else { return clean }
        guard width > 0 else { return "" }
        var result = ""
        var used = 0
        for character in clean {
            let next = columns(character)
            if used + next > width - 1 { break }
            result.append(character)
            used += next
        }
        return result + "…"
    }

    /// Breaks each long line of the text at spaces. The rest of a line is indented like its beginning, and by two more
    /// columns. A word that is longer than a line stays whole, so that it can be copied. A line of a table, which has
    /// several spaces in a row, stays as it is.
    static func broken(_ text: String, width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let indent = line.prefix { $0 == " " }
            guard columns(line) > width, !line.dropFirst(indent.count).contains("  ") else { return String(line) }
            var lines = [String(indent)]
            for word in line.split(separator: " ") {
                let isFirst = lines[lines.count - 1].allSatisfy { $0 == " " }
                if !isFirst, columns(lines[lines.count - 1]) + 1 + columns(word) > width {
                    lines.append(String(indent) + "  ")
                }
                let begins = lines[lines.count - 1].allSatisfy { $0 == " " }
                lines[lines.count - 1] += (begins ? "" : " ") + String(word)
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Breaks the text at spaces into lines of `width` columns. A word that is longer than a line is broken.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.printable.split(separator: " ") {
            if !line.isEmpty, columns(line) + 1 + columns(word) > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? "" : " "
            guard columns(word) > width else {
                line += word
                continue
            }
            for letter in word {
                if columns(line) + columns(String(letter)) > width, !line.isEmpty {
                    lines.append(line)
                    line = ""
                }
                line.append(letter)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
