// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel

/// The desktop notification about the user's own transfers that have ended. Transfers that end together share one
/// notification.
struct EndedTransfersSummary {
    /// The text of a desktop notification.
    struct Message: Hashable {
        var title: String
        var body: String
        var isFailure: Bool
    }

    private var finished: [TransferStatus] = []
    private var failed: [TransferStatus] = []

    /// Whether no ended transfer is left to report.
    var isEmpty: Bool { finished.isEmpty && failed.isEmpty }

    /// Adds an ended transfer. Transfers of apps are ignored, as are transfers that the user has canceled.
    mutating func add(_ status: TransferStatus) {
        guard status.app == BusCaller.person else { return }
        switch status.state {
        case .finished: finished.append(status)
        case .failed: failed.append(status)
        case .cancelled, .waiting, .running, .paused: break  // Not reported.
        }
    }

    /// Removes all added transfers and returns a notification about them. Returns `nil` if there are none.
    mutating func makeMessage() -> Message? {
        defer { self = EndedTransfersSummary() }
        let all = failed + finished
        guard let first = all.first else { return nil }
        guard all.count > 1 else {
            let direction = first.isUpload ? "Upload" : "Download"
            return failed.isEmpty
                ? Message(title: "\(direction) finished", body: (first.path ?? first.name).printable, isFailure: false)
                : Message(
                    title: "\(direction) failed", body: "\(first.name): \(first.error ?? "unknown reason")".printable,
                    isFailure: true)
        }
        let title =
            failed.isEmpty ? "\(all.count) transfers finished" : "\(failed.count) of \(all.count) transfers failed"
        let shown = all.prefix(5).map { status in (status.name + (status.error.map { ": \($0)" } ?? "")).printable }
        let rest = all.count > shown.count ? ["… and \(all.count - shown.count) more"] : []
        return Message(title: title, body: (shown + rest).joined(separator: "\n"), isFailure: !failed.isEmpty)
    }
}
