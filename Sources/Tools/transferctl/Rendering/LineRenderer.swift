// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// A line an event, for pipes and logs. The finished file's path goes to standard output, all else to standard error.
struct LineRenderer: TransferRenderer {
    let localTime: LocalTimeRules
    let isVerbose: Bool

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard let event,
            let text = TransferText.sentence(of: status, event, localTime: localTime, isVerbose: isVerbose)
        else { return }
        Console.error("\(status.name): \(text)".printable)
        if case .ended(let completion) = event.kind, let file = completion?.file { Console.printPath(file.path) }
    }
}

/// Ends without what was asked for, and nothing else.
struct FailureRenderer: TransferRenderer {
    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard status.state.isOver, status.state != .finished else { return }
        guard let event else {
            // A daemon's: known by its number.
            return Console.error("transferctl: \(status.id) \(status.name): \(status.error ?? status.state.rawValue)")
        }
        let text = TransferText.sentence(of: status, event, localTime: .utc) ?? ""
        Console.error("transferctl: \(status.name): \(text)".printable)
    }
}
