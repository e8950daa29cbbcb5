// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// A renderer that prints one line per event, for pipes and logs. The path of a finished file goes to standard
/// output. Everything else goes to standard error.
struct LineRenderer: TransferRenderer {
    let localTime: LocalTimeRules
    let isVerbose: Bool
    /// A Boolean value that indicates whether the paths of finished files go to standard output.
    let printsPaths: Bool
    private var tally: TransferTally

    init(localTime: LocalTimeRules, isVerbose: Bool, count: Int, printsPaths: Bool = true) {
        (self.localTime, self.isVerbose, self.printsPaths) = (localTime, isVerbose, printsPaths)
        tally = TransferTally(count: count)
    }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard let event, let text = text(of: status, event) else { return }
        Console.error("\(status.name): \(text)".printable)
        guard printsPaths, case .ended(let completion) = event.kind, let file = completion?.file else { return }
        Console.printPath(file.path)
    }

    /// Returns a sentence for an event. A resumed attempt is reported once the server has agreed to resume.
    private mutating func text(of status: TransferStatus, _ event: TransferEvent) -> String? {
        if let notice = tally.record(status, event) { return notice }
        if event.kind == .started, status.bytes > 0, !isVerbose { return nil }
        return TransferText.sentence(
            of: status, event, localTime: localTime, isVerbose: isVerbose, pace: tally.pace(of: status.id),
            showsPath: printsPaths)
    }

    mutating func end() {
        if tally.count > 1 { Console.error(tally.summary) }
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
