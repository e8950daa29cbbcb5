// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import TransferModel

/// A transfer that the program finds again by its name, in this process or in a later one.
///
/// ```swift
/// let transfer = try await session.transfer(for: request, id: "episode-7")
/// for await progress in transfer.progress { show(progress.fraction) }
/// let file = try await transfer.file
/// ```
///
/// ## Topics
///
/// ### Awaiting the End
/// - ``file``
/// - ``progress``
/// - ``wait()``
///
/// ### Ending the Transfer
/// - ``cancel()``
public final class NamedTransfer: Sendable, Identifiable {
    /// The name that the program gave the transfer.
    public let id: String
    let state: NamedTransferState
    private let cancelsWithTask: Bool
    /// The session, which must exist to receive the events of the transfer.
    private let session: BackgroundSession

    init(_ state: NamedTransferState, of session: BackgroundSession, cancelsWithTask: Bool) {
        (id, self.state, self.session) = (state.name.id, state, session)
        self.cancelsWithTask = cancelsWithTask
    }

    /// The finished file, in the folder of the session. Awaits the end of the transfer.
    ///
    /// The file belongs to the program. It stays until ``BackgroundSession/remove(id:)`` removes it, or the user
    /// empties the cache folder. Each caller gets the same result.
    ///
    /// If the awaiting task is canceled, the call throws an error with the code ``TransferError/Code/canceled``. The
    /// transfer continues unless ``TransferOptions/cancelsWithTask`` is true.
    public var file: URL {
        get async throws(TransferError) {
            guard let outcome = await state.outcome() else {
                if cancelsWithTask { cancel() }
                throw .awaitingCanceled(id)
            }
            return try outcome.get()
        }
    }

    /// The progress of the transfer: first the current progress, then each change. Ends with the transfer, whether or
    /// not it succeeds. A slow reader gets the latest progress.
    public var progress: some AsyncSequence<TransferProgress, Never> & Sendable { state.progress(keeping: session) }

    /// Returns the reasons why the transfer waits. `nil` if the transfer runs, is about to run, or has ended.
    ///
    /// - Throws: `TransferError` if the daemon or the embedded engine cannot be reached.
    public func wait() async throws(TransferError) -> TransferWait? {
        guard let task = state.task, !state.isEnded else { return nil }
        do throws(SessionError) {
            return try await task.channel.explanation(ofTask: task.identifier, in: task.session).map(TransferWait.init)
        } catch {
            throw TransferError(error)
        }
    }

    /// Cancels the transfer and removes its bytes. ``file`` then throws an error with the code
    /// ``TransferError/Code/canceled``, and the same call starts the transfer again.
    ///
    /// Has no effect on a transfer that has ended.
    public func cancel() { state.task?.cancel() }
}
