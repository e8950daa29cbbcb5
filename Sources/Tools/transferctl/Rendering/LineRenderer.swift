// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// A renderer that prints one line per event, for pipes and logs. The path of a finished file goes to standard
/// output. Everything else goes to standard error.
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

/// A renderer that prints only transfers that failed or were canceled.
struct FailureRenderer: TransferRenderer {
    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard status.state.isEnded, status.state != .finished else { return }
        guard let event else {
            // Transfers of a daemon are identified by their ID.
            let reason = status.error ?? status.state.displayName
            return Console.error("transferctl: \(status.id) \(status.name): \(reason)")
        }
        let text = TransferText.sentence(of: status, event, localTime: .utc) ?? ""
        Console.error("transferctl: \(status.name): \(text)".printable)
    }
}
