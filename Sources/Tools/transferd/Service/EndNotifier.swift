// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Notifies the desktop of ended transfers. Each notification is delayed by two seconds to include transfers that end
/// meanwhile.
actor EndNotifier {
    private var notes = EndNotes()
    private let notify: @Sendable (EndNotes.Note) async -> Void
    private static let delay = Duration.seconds(2)

    /// Creates a notifier that shows notifications with `notify`.
    init(_ notify: @escaping @Sendable (EndNotes.Note) async -> Void) { self.notify = notify }

    /// Adds an ended transfer to the next notification.
    func take(_ status: TransferStatus) {
        let isFirst = notes.isEmpty
        notes.take(status)
        guard isFirst, !notes.isEmpty else { return }
        Task {
            try? await Task.sleep(for: Self.delay)
            if let note = notes.tell() { await notify(note) }
        }
    }
}
