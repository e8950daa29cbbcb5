// SPDX-License-Identifier: Apache-2.0
import Rainbow
import TransferModel

/// A line of a screen, made of pieces of text with styles.
struct ScreenLine: Hashable {
    /// The styles of a piece.
    enum TextStyle: Hashable {
        case plain
        case bold
        case dim
        case good
        case bad
        case warning
    }

    private(set) var pieces: [(text: String, style: TextStyle)] = []
    /// A Boolean value that indicates whether the whole line is highlighted.
    var isSelected = false

    /// Creates an empty line.
    init() {}

    /// Creates a line with one piece.
    init(_ text: String, _ style: TextStyle = .plain) { pieces = [(text, style)] }

    /// The width of the line, in columns.
    var columns: Int { pieces.reduce(0) { $0 + Formatting.columns($1.text) } }

    /// The text of the line without styles.
    var plain: String { pieces.map(\.text).joined() }

    /// Adds a piece. If a width is given, the piece is cut or padded to it.
    mutating func add(_ text: String, _ style: TextStyle = .plain, width: Int? = nil) {
        guard let width else { return pieces.append((text, style)) }
        let fitted = Formatting.fitted(text, width: width)
        pieces.append((fitted + String(repeating: " ", count: max(0, width - Formatting.columns(fitted))), style))
    }

    /// Adds a bar and numbers, at most `width` columns wide. The bar is left out if it does not fit or if the size is
    /// unknown.
    mutating func addProgress(of status: TransferStatus, _ numbers: String, bar: ClosedRange<Int>, width: Int) {
        let barWidth = min(bar.upperBound, width - Formatting.columns(numbers) - 1)
        guard barWidth >= bar.lowerBound, let total = status.total, total > 0 else { return add(numbers) }
        let filled = max(0, min(barWidth, Int(Double(status.bytes) / Double(total) * Double(barWidth))))
        add(String(repeating: "█", count: filled), .good)
        add(String(repeating: "░", count: barWidth - filled), .dim)
        add(" " + numbers)
    }

    /// Returns the line with terminal styles, at most `width` columns wide.
    func drawn(width: Int) -> String {
        if isSelected {
            let fitted = Formatting.fitted(plain, width: width)
            return (fitted + String(repeating: " ", count: max(0, width - Formatting.columns(fitted)))).swap
        }
        var left = width
        var result = ""
        for (text, style) in pieces where left > 0 {
            let fitted = Formatting.fitted(text, width: left)
            left -= Formatting.columns(fitted)
            result += Self.styled(fitted, style)
        }
        return result
    }

    private static func styled(_ text: String, _ style: TextStyle) -> String {
        switch style {
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
