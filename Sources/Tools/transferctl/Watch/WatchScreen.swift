// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// The lines of the live view: conditions at the top, transfers below, and available keys at the bottom.
struct WatchScreen {
    let state: WatchState
    let width: Int
    let height: Int

    /// The lines of the screen, at most `height`.
    var lines: [ScreenLine] {
        let top = head
        let bottom = foot
        let pane = paneLines
        let room = max(0, height - top.count - bottom.count)
        // The list keeps its header and at least three lines, if there are that many.
        let paneRoom = max(0, min(pane.count, room - 4))
        var body = list(room: room - paneRoom)
        if paneRoom > 0 || !bottom.isEmpty {
            body += Array(repeating: ScreenLine(), count: max(0, room - paneRoom - body.count))
        }
        return Array((top + body + pane.prefix(paneRoom) + bottom).prefix(height))
    }

    // MARK: Head

    private var head: [ScreenLine] {
        var first = ScreenLine("transferd  ", .bold)
        // The counts are those of all transfers, also if a filter hides some.
        first.add(Self.counts(Array(state.rows.values)))
        var lines = [first]
        lines += conditions
        if let text = WatchConditions.hold(state.hold) {
            lines.append(ScreenLine(text.isEmpty ? "On hold" : "On hold: " + text, .warning))
        }
        if let text = state.arrangement.description { lines.append(ScreenLine("Shown: " + text, .dim)) }
        return lines + [ScreenLine()]
    }

    /// Power and network, on one line if they fit.
    private var conditions: [ScreenLine] {
        let conditions = WatchConditions(state.conditions)
        var power = ScreenLine("Power ", .dim)
        power.add(conditions.power)
        var both = power
        both.add("   ")
        var network = ScreenLine()
        for (text, style) in [("Network ", ScreenLine.TextStyle.dim), (conditions.network, .plain)] {
            network.add(text, style)
            both.add(text, style)
        }
        return both.columns <= width ? [both] : [power, network]
    }

    private static func counts(_ rows: [TransferStatus]) -> String {
        let parts = [
            ("running", rows.count { $0.state == .running }), ("waiting", rows.count { $0.state == .waiting }),
            ("paused", rows.count { $0.state == .paused }), ("ended", rows.count { $0.state.isEnded }),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        let rate = rows.compactMap(\.rate).reduce(0, +)
        let total = rate > 0 ? ["\(Formatting.bytes(rate))/s"] : []
        return parts.isEmpty ? "no transfers" : (parts + total).joined(separator: " · ")
    }

    // MARK: List

    /// A Boolean value that indicates whether the state has no column, because the detail needs the space.
    private var isNarrow: Bool { width < 60 }

    private func list(room: Int) -> [ScreenLine] {
        let rows = state.order
        guard room > 1, !rows.isEmpty else { return [] }
        let (idWidth, nameWidth) = columnWidths(rows)
        var title = ScreenLine()
        title.add("  ")
        title.add("ID", .dim, width: idWidth + 1)
        if !isNarrow { title.add("STATE", .dim, width: 10) }
        title.add("NAME", .dim, width: nameWidth + 1)
        title.add("PROGRESS OR WAIT REASON", .dim)
        let count = room - 1
        let selectedIndex = rows.firstIndex { $0.id == state.selected } ?? 0
        // The selected line is centered as far as there are lines above and below.
        let start = max(0, min(selectedIndex - count / 2, rows.count - count))
        return [title]
            + rows[start..<min(rows.count, start + count)].map { line($0, idWidth: idWidth, nameWidth: nameWidth) }
    }

    private func columnWidths(_ rows: [TransferStatus]) -> (id: Int, name: Int) {
        let idWidth = max(2, rows.map { "\($0.id)".count }.max() ?? 0)
        return (idWidth, max(10, min(32, (width - idWidth - (isNarrow ? 4 : 14)) * 2 / 5)))
    }

    /// The wait reason or error of the selected transfer, unless its line shows it in full.
    private var cutDetail: [ScreenLine] {
        guard let id = state.selected, let row = state.rows[id], row.state == .waiting || row.state == .failed,
            let text = row.state == .waiting ? row.sentence ?? row.error : row.error
        else { return [] }
        let widths = columnWidths(state.order)
        guard Formatting.columns(text) > width - widths.id - widths.name - (isNarrow ? 4 : 14) else { return [] }
        return [rule("\(id) \(row.name)")]
            + Formatting.wrapped(text, width: max(10, width - 2)).map { ScreenLine(" " + $0) }
    }

    private func line(_ row: TransferStatus, idWidth: Int, nameWidth: Int) -> ScreenLine {
        var line = ScreenLine()
        line.isSelected = row.id == state.selected
        line.add(line.isSelected ? "> " : "  ")
        line.add("\(row.id)", width: idWidth)
        line.add(" ")
        if !isNarrow {
            line.add(row.state.displayName, Self.style(row.state), width: 9)
            line.add(" ")
        }
        line.add(row.name, row.state.isEnded ? .dim : .bold, width: nameWidth)
        line.add(" ")
        addDetail(of: row, to: &line, width: width - line.columns)
        return line
    }

    private static func style(_ state: TransferStatus.State) -> ScreenLine.TextStyle {
        switch state {
        case .running, .finished: .good
        case .failed: .bad
        case .paused: .warning
        case .waiting, .cancelled: .plain
        }
    }

    private func addDetail(of row: TransferStatus, to line: inout ScreenLine, width: Int) {
        switch row.state {
        case .running:
            line.addProgress(of: row, row.numbers(withBytes: false, width: width), bar: 4...30, width: width)
        case .waiting: line.add(row.sentence ?? row.error ?? "")
        case .paused:
            let share = row.bytes > 0 ? "\(row.share ?? Formatting.bytes(row.bytes)), " : ""
            line.add(share + "paused; r resumes")
        case .finished: line.add((isNarrow ? "finished, " : "") + Formatting.bytes(row.bytes), .dim)
        case .failed: line.add(row.error ?? (isNarrow ? "failed" : ""), .bad)
        case .cancelled: line.add(isNarrow ? "canceled" : "")
        }
    }

    // MARK: Pane and foot

    private var paneLines: [ScreenLine] {
        switch state.pane {
        case .confirm, .filter: return []
        case .none: return cutDetail
        case .help: return [rule("keys")] + help
        case .why(let id):
            guard let explanation = state.explanation else {
                return [rule("why \(id)"), ScreenLine(" waiting for the daemon …", .dim)]
            }
            return [rule("why \(id)")] + why(explanation)
        }
    }

    private func rule(_ title: String) -> ScreenLine {
        let title = Formatting.fitted(title, width: max(0, width - 5))
        return ScreenLine(
            "── \(title) " + String(repeating: "─", count: max(0, width - Formatting.columns(title) - 4)), .dim)
    }

    private func why(_ explanation: WaitExplanation) -> [ScreenLine] {
        var lines = Formatting.wrapped(explanation.sentence, width: max(10, width - 2)).map { ScreenLine(" " + $0) }
        for reason in explanation.reasons {
            let origin = [
                reason.source.map { "source: \($0)" }, reason.since.map { "since \(WatchConditions.time($0))" },
            ]
            .compactMap(\.self).joined(separator: ", ")
            var line = ScreenLine(" - " + reason.sentence)
            if !origin.isEmpty { line.add("  (\(origin))", .dim) }
            lines.append(line)
        }
        lines += explanation.waitLines.map { ScreenLine(" " + $0, .dim) }
        return lines
    }

    private static let keys = [
        ("up/down, k/j", "select"), ("page up/down, g/G", "scroll, top and bottom"), ("p", "pause"),
        ("r", "resume, or retry"), ("n", "start now"), ("c", "cancel, after confirmation"),
        ("w, Enter", "wait reasons"), ("o", "open the finished file"), ("H, R", "hold everything, release"),
        ("s", "sort"), ("/", "filter; Escape shows all"), ("q", "quit; the transfers continue"),
    ]

    /// The keys and their meanings.
    private var help: [ScreenLine] {
        Self.keys.flatMap { key, meaning in
            Formatting.wrapped(meaning, width: max(10, width - 19)).enumerated().map { index, part in
                var line = ScreenLine(" ")
                line.add(index == 0 ? key : "", .bold, width: 18)
                line.add(part)
                return line
            }
        }
    }

    private var foot: [ScreenLine] {
        if let message = state.message { return [ScreenLine(message, state.isError ? .bad : .good)] }
        if state.pane == .filter {
            return [ScreenLine("Filter: \(state.arrangement.filter)▏  Enter keeps it, Escape shows all", .warning)]
        }
        if case .confirm(let id) = state.pane {
            let name = state.rows[id]?.name ?? ""
            return [ScreenLine("Cancel \(id) \(name) and delete its partial file? y/n", .warning)]
        }
        // As many hints as fit. The last two always fit.
        let hints = ["↑↓ select", "p pause", "r resume", "n now", "c cancel", "w why", "o open", "/ filter"]
        let last = "? help  q quit"
        let shown = hints.indices.map { hints.prefix($0 + 1) + [last] }.map { $0.joined(separator: "  ") }
        return [ScreenLine(shown.last { Formatting.columns($0) <= width } ?? last, .dim)]
    }
}
