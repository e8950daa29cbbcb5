// SPDX-License-Identifier: Apache-2.0
import Rainbow
import TransferModel

/// A line of a screen: pieces of text, each with its look.
struct ScreenLine: Hashable {
    /// How a piece looks.
    enum Look: Hashable {
        case plain
        case bold
        case dim
        case good
        case bad
        case warning
    }

    private(set) var pieces: [(text: String, look: Look)] = []
    /// Whether the whole line stands out.
    var isSelected = false

    /// An empty line.
    init() {}

    /// A line of one piece.
    init(_ text: String, _ look: Look = .plain) { pieces = [(text, look)] }

    /// How many columns it takes.
    var columns: Int { pieces.reduce(0) { $0 + Formatting.columns($1.text) } }

    /// What is read, without any look.
    var plain: String { pieces.map(\.text).joined() }

    /// Adds a piece, cut or padded to `width` where one is given.
    mutating func add(_ text: String, _ look: Look = .plain, width: Int? = nil) {
        guard let width else { return pieces.append((text, look)) }
        let fitted = Formatting.fitted(text, width: width)
        pieces.append((fitted + String(repeating: " ", count: max(0, width - Formatting.columns(fitted))), look))
    }

    /// Adds a bar and numbers, no more than `width` columns; without a bar where no such one fits or the size is unknown.
    mutating func addProgress(of status: TransferStatus, _ numbers: String, bar: ClosedRange<Int>, width: Int) {
        let barWidth = min(bar.upperBound, width - Formatting.columns(numbers) - 1)
        guard barWidth >= bar.lowerBound, let total = status.total, total > 0 else { return add(numbers) }
        let filled = max(0, min(barWidth, Int(Double(status.bytes) / Double(total) * Double(barWidth))))
        add(String(repeating: "█", count: filled), .good)
        add(String(repeating: "░", count: barWidth - filled), .dim)
        add(" " + numbers)
    }

    /// The line as a terminal shows it, no longer than `width`.
    func drawn(width: Int) -> String {
        if isSelected {
            let fitted = Formatting.fitted(plain, width: width)
            return (fitted + String(repeating: " ", count: max(0, width - Formatting.columns(fitted)))).swap
        }
        var left = width
        var result = ""
        for (text, look) in pieces where left > 0 {
            let fitted = Formatting.fitted(text, width: left)
            left -= Formatting.columns(fitted)
            result += Self.styled(fitted, look)
        }
        return result
    }

    private static func styled(_ text: String, _ look: Look) -> String {
        switch look {
        case .plain: text
        case .bold: text.bold
        case .dim: text.dim
        case .good: text.green
        case .bad: text.red
        case .warning: text.yellow
        }
    }

    static func == (left: ScreenLine, right: ScreenLine) -> Bool {
        left.isSelected == right.isSelected && left.pieces.elementsEqual(right.pieces) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(plain) }
}
