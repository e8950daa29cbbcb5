// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel

/// A renderer that prints the changes of a daemon as lines, for programs and files.
struct WatchLines: TransferRenderer {
    let json: Bool
    private var states: [TransferID: TransferStatus.State] = [:]
    private var lastStatus = DaemonStatus()

    /// Creates a renderer that prints text or JSON.
    init(json: Bool) { self.json = json }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        let isNew = states.updateValue(status.state, forKey: status.id) != status.state
        if json { return write("transfer", ["transfer": status.fields.mapValues(\.json)]) }
        guard isNew else { return }
        let detail = status.error ?? status.sentence
        let text = "\(status.id) \(status.state.displayName) \(status.name)" + (detail.map { ": \($0)" } ?? "")
        Console.print(text.printable)
    }

    mutating func show(_ change: DaemonStatus) {
        if let conditions = change.conditions, conditions != lastStatus.conditions {
            lastStatus.conditions = conditions
            printChange(conditions)
        }
        if let hold = change.held, hold != lastStatus.held {
            lastStatus.held = hold
            printChange(hold)
        }
    }

    private func printChange(_ hold: HoldStatus) {
        if json { return write("hold", ["hold": hold.fields.mapValues(\.json)]) }
        Console.print((WatchConditions.hold(hold).map { "on hold: \($0)" } ?? "not on hold").printable)
    }

    private func printChange(_ report: ConditionsReport) {
        if json { return write("conditions", ["conditions": report.fields.mapValues(\.json)]) }
        let conditions = WatchConditions(report)
        Console.print("power \(conditions.power); network \(conditions.network)".printable)
    }

    private func write(_ event: String, _ fields: [String: Any]) {
        let now = Date.now.timeIntervalSince1970
        var object = fields
        object["event"] = event
        object["time"] = Formatting.rfc3339(WallTime(nanosecondsSinceEpoch: Int64(now * 1e3) * 1_000_000))
        JSONLine.print(object)
    }
}
