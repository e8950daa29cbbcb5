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
    private let attempts: Int?
    private var tally: TransferTally
    /// The wait reasons that have not been printed yet, by transfer.
    private var waits: [TransferID: (name: String, text: String)] = [:]
    /// The transfers that have been reported.
    private var reported: Set<TransferID> = []

    /// Creates a renderer of `count` transfers, each of which fails after `attempts` without progress.
    init(
        localTime: LocalTimeRules, isVerbose: Bool, count: Int, attempts: Int? = nil, printsPaths: Bool = true
    ) {
        (self.localTime, self.isVerbose, self.printsPaths) = (localTime, isVerbose, printsPaths)
        self.attempts = attempts
        tally = TransferTally(count: count)
    }

    /// Wait reasons are printed a moment later, so that transfers with the same reason become one line.
    var isDirty: Bool { !waits.isEmpty }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard let event else { return }
        reported.insert(status.id)
        waits[status.id] = nil
        guard let text = text(of: status, event) else { return }
        if case .waiting = event.kind { return waits[status.id] = (status.name, text) }
        Console.error("\(status.name): \(text)".printable)
        guard printsPaths, case .ended(let completion) = event.kind, let file = completion?.file else { return }
        Console.printPath(file.path)
    }

    mutating func flush() {
        for line in waitLines { Console.error(line.printable) }
        waits = [:]
    }

    /// A line for each wait reason that has not been printed, in the order of the transfers.
    var waitLines: [String] {
        var groups: [String: (first: TransferID, names: [String])] = [:]
        for (id, wait) in waits.sorted(by: { $0.key < $1.key }) {
            groups[wait.text, default: (id, [])].names.append(wait.name)
        }
        // Only some of thousands of transfers are explained. The others wait behind them.
        let silent = groups.count == 1 && waits.count > 1 ? max(0, tally.count - reported.count) : 0
        return groups.sorted { $0.value.first < $1.value.first }.map { text, group in
            group.names.count == 1 ? "\(group.names[0]): \(text)" : "\(group.names.count + silent) files: \(text)"
        }
    }

    /// Returns a sentence for an event. A resumed attempt is reported once the server has agreed to resume.
    private mutating func text(of status: TransferStatus, _ event: TransferEvent) -> String? {
        if let notice = tally.record(status, event) { return notice }
        if event.kind == .started, status.bytes > 0, !isVerbose { return nil }
        return TransferText.sentence(
            of: status, event, localTime: localTime, isVerbose: isVerbose, pace: tally.pace(of: status.id),
            showsPath: printsPaths, attempts: attempts)
    }

    mutating func end() {
        flush()
        if tally.count > 1 { Console.error(tally.summary.printableLines) }
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
