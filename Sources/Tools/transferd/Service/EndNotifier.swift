// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Tells the desktop of ends a moment later, together with what else ends until then.
actor EndNotifier {
    private var notes = EndNotes()
    private let notify: @Sendable (EndNotes.Note) async -> Void
    private static let delay = Duration.seconds(2)

    /// A notifier that shows notes with `notify`.
    init(_ notify: @escaping @Sendable (EndNotes.Note) async -> Void) { self.notify = notify }

    /// Takes a transfer that is over.
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
