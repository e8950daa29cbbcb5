// SPDX-License-Identifier: Apache-2.0
import TransferModel

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
