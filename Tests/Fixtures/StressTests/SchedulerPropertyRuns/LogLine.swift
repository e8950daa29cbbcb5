// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// A parsed line of a run's log: bare words, and `key=value` pairs in any order. All pairs are optional.
package struct LogLine {
    let words: [String]
    private let values: [String: String]

    package init(_ line: String) {
        var words: [String] = []
        var values: [String: String] = [:]
        for word in line.split(separator: " ") {
            let components = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if components.count == 2 {
                values[String(components[0])] = String(components[1])
            } else {
                words.append(String(word))
            }
        }
        self.words = words
        self.values = values
    }

    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
    subscript(key: String) -> String? { values[key] }

    func number(_ key: String) -> Int64? { values[key].flatMap { Int64($0) } }
    func time(_ key: String) -> Int64? { values[key].flatMap(Self.nanoseconds) }
    func date(_ key: String) -> WallTime? { time(key).map { PropertyRun.start.wall.advanced(by: .nanoseconds($0)) } }
    func list(_ key: String) -> [String]? { values[key].map { $0.split(separator: "+").map(String.init) } }
    var id: TransferID { TransferID(Int64(word(1)) ?? 0) }

    // MARK: Times

    /// Returns a time in seconds with as many decimal places as necessary, such as `-1.5` or `3`.
    package static func text(_ nanoseconds: Int64) -> String {
        let size = nanoseconds.magnitude
        var text = "\(nanoseconds < 0 ? "-" : "")\(size / 1_000_000_000)"
        var rest = size % 1_000_000_000
        guard rest > 0 else { return text }
        text += "."
        var digit: UInt64 = 100_000_000
        while rest > 0 {
            text += "\(rest / digit)"
            rest %= digit
            digit /= 10
        }
        return text
    }

    static func text(_ date: WallTime) -> String { text(PropertyRun.start.wall.duration(to: date).wholeNanoseconds) }

    static func nanoseconds(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let components = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = components.first, let whole = Int64(first), components.count <= 2 else { return nil }
        var sum = whole &* 1_000_000_000
        if components.count == 2 {
            var digit: Int64 = 100_000_000
            for character in components[1] {
                sum &+= Int64(character.wholeNumberValue ?? 0) * digit
                digit /= 10
            }
        }
        return isNegative ? -sum : sum
    }
}
