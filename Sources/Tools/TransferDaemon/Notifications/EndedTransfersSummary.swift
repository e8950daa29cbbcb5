// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel

/// The desktop notification about the user's own transfers that have ended or whose deadline is in danger. Transfers
/// that are reported together share one notification.
struct EndedTransfersSummary {
    /// The text of a desktop notification.
    struct Message: Hashable {
        var title: String
        var body: String
        var isFailure: Bool
        var actions: [NotificationAction] = []
    }

    private var finished: [TransferStatus] = []
    private var failed: [TransferStatus] = []
    /// The unfinished transfers whose deadline is at risk or was missed.
    private var late: [TransferStatus] = []

    /// Whether no transfer is left to report.
    var isEmpty: Bool { finished.isEmpty && failed.isEmpty && late.isEmpty }

    /// Adds a transfer that has ended or whose deadline is in danger. Transfers of apps are ignored, as are transfers
    /// that the user has canceled.
    mutating func add(_ status: TransferStatus) {
        guard status.app == BusCaller.person else { return }
        switch status.state {
        case .finished: finished.append(status)
        case .failed: failed.append(status)
        case .waiting, .running, .paused:
            guard status.deadlineState != nil else { return }
            late.removeAll { $0.id == status.id }
            late.append(status)
        case .cancelled: break  // Not reported.
        }
        if status.state.isEnded { late.removeAll { $0.id == status.id } }
    }

    /// Returns the actions for a finished transfer. The file of an upload was there before.
    private static func actions(for status: TransferStatus) -> [NotificationAction] {
        guard !status.isUpload, let path = status.path else { return [] }
        return [.open(path: path), .showInFolder(path: path)]
    }

    /// Removes all added transfers and returns a notification about them. Returns `nil` if there are none.
    mutating func makeMessage() -> Message? {
        defer { self = EndedTransfersSummary() }
        let all = failed + finished
        guard let first = all.first else { return lateMessage }
        guard all.count > 1 else {
            let direction = first.isUpload ? "Upload" : "Download"
            return failed.isEmpty
                ? Message(
                    title: "\(direction) finished", body: (first.path ?? first.name).printable, isFailure: false,
                    actions: Self.actions(for: first))
                : Message(
                    title: "\(direction) failed", body: "\(first.name): \(first.error ?? "unknown reason")".printable,
                    isFailure: true, actions: [.retry(first.id)])
        }
        let title =
            failed.isEmpty ? "\(all.count) transfers finished" : "\(failed.count) of \(all.count) transfers failed"
        let shown = all.prefix(5).map { status in (status.name + (status.error.map { ": \($0)" } ?? "")).printable }
        let rest = all.count > shown.count ? ["… and \(all.count - shown.count) more"] : []
        return Message(title: title, body: (shown + rest).joined(separator: "\n"), isFailure: !failed.isEmpty)
    }

    /// The notification about deadlines in danger.
    private var lateMessage: Message? {
        guard let first = late.first else { return nil }
        let isMissed = first.deadlineState == .missed
        guard late.count > 1 else {
            let title = "\(first.isUpload ? "Upload" : "Download") \(isMissed ? "is late" : "may be late")"
            let body = isMissed ? "missed its deadline" : "will probably miss its deadline"
            return Message(title: title, body: "\(first.name) \(body)".printable, isFailure: true)
        }
        let names = late.prefix(5).map(\.name.printable)
        let rest = late.count > names.count ? ["… and \(late.count - names.count) more"] : []
        return Message(
            title: "\(late.count) transfers miss their deadlines", body: (names + rest).joined(separator: "\n"),
            isFailure: true)
    }
}

/// Notifies the desktop of ended transfers. Each notification is delayed by two seconds to include transfers that end
/// meanwhile.
actor EndNotifier {
    private var summary = EndedTransfersSummary()
    private let notify: @Sendable (EndedTransfersSummary.Message) async -> Void
    private static let delay = Duration.seconds(2)

    /// Creates a notifier that shows notifications with `notify`.
    init(_ notify: @escaping @Sendable (EndedTransfersSummary.Message) async -> Void) { self.notify = notify }

    /// Adds an ended transfer to the next notification.
    func add(_ status: TransferStatus) {
        let isFirst = summary.isEmpty
        summary.add(status)
        guard isFirst, !summary.isEmpty else { return }
        Task {
            try? await Task.sleep(for: Self.delay)
            if let message = summary.makeMessage() { await notify(message) }
        }
    }
}
