// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// A renderer that shows the files of a set as one transfer: one bar, and one reason while nothing runs.
struct SetRenderer: TransferRenderer {
    private struct Row {
        var bytes: Int64
        var rate: Int64?
        var isRunning = false
        var hasEnded = false
    }

    private let set: FileSet
    private let count: Int
    private var base: any TransferRenderer
    private var rows: [TransferID: Row] = [:]
    private var hasStarted = false

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - count: The number of files that are still missing.
    ///   - base: The renderer for a single transfer.
    init(_ set: FileSet, count: Int, base: any TransferRenderer) {
        (self.set, self.count, self.base) = (set, count, base)
    }

    var isDirty: Bool { base.isDirty }
    mutating func flush() { base.flush() }
    mutating func end() { base.end() }
    mutating func show(_ change: DaemonStatus) { base.show(change) }
    mutating func showMessage(_ text: String) { base.showMessage(text) }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard let event else { return }
        var row = rows[status.id] ?? Row(bytes: 0)
        row.bytes = status.bytes
        row.rate = status.rate
        var kind = event.kind
        switch event.kind {
        case .started, .progressed, .restarted: row.isRunning = true
        case .ended:
            (row.isRunning, row.hasEnded) = (false, true)
            if status.state != .finished {
                let sentence = TransferText.sentence(of: status, event, localTime: .utc) ?? "failed"
                base.showMessage("\(status.name): \(sentence)")
            }
            kind = .progressed
        case .deadline: break
        case .waiting, .stopped, .retrying: row.isRunning = false
        }
        rows[status.id] = row
        if !row.isRunning, kind != .progressed, rows.values.contains(where: \.isRunning) { return }
        if kind == .started, hasStarted { kind = .progressed }
        hasStarted = hasStarted || kind == .started
        base.show(sum(status), TransferEvent(time: event.time, kind: kind))
    }

    /// The state of the set, in the form of a transfer.
    private func sum(_ status: TransferStatus) -> TransferStatus {
        let ended = set.files.count - count + rows.values.count(where: \.hasEnded)
        var sum = TransferStatus(
            id: TransferID(0), url: "", name: "\(set.name), \(ended) of \(set.files.count) files", app: status.app,
            isUpload: false, kind: status.kind, priority: status.priority, state: status.state,
            submitted: status.submitted)
        if status.state.isEnded { sum.state = .running }
        sum.bytes = rows.values.reduce(0) { $0 + $1.bytes }
        let size = set.size
        if size.isComplete, count == set.files.count { sum.total = size.bytes }
        sum.rate = rows.values.reduce(nil) { sum, row in row.isRunning ? (sum ?? 0) + (row.rate ?? 0) : sum }
        (sum.attempt, sum.errorCode, sum.error) = (status.attempt, status.errorCode, status.error)
        sum.deadline = status.deadline
        return sum
    }
}
