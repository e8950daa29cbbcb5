// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
internal import TransferModel

/// The state of a named transfer in this process, shared by all handles of the transfer.
final class NamedTransferState: Sendable {
    typealias Outcome = Result<URL, TransferError>

    private struct Content {
        var outcome: Outcome?
        /// Whether a caller has received the outcome.
        var isDelivered = false
        var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
        /// The callers that were canceled before they could wait.
        var canceled: Set<Int> = []
        var observers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var progress = TransferProgress(bytes: 0, total: nil)
        /// The number of the latest waiter or observer.
        var last = 0
        var file: String?
    }

    let name: TaskName
    /// The URL of the request. After the end, without the parts that may be secret.
    let url: String
    /// The task. `nil` if the file was finished before the call.
    let task: BackgroundTask?
    private let content: Mutex<Content>

    /// Creates the state of a transfer that has not ended.
    init(_ name: TaskName, task: BackgroundTask) {
        (self.name, self.task, url) = (name, task, task.snapshot.request.url)
        content = Mutex(Content(progress: TransferProgress(task.snapshot)))
    }

    /// Creates the state of a transfer with a finished file.
    init(_ name: TaskName, url: String, file: URL) {
        (self.name, self.url, task) = (name, url, nil)
        content = Mutex(Content(outcome: .success(file), progress: NamedFiles.progress(of: file)))
    }

    var isEnded: Bool { content.withLock { $0.outcome != nil } }
    /// The failure of the transfer that no caller has received yet.
    var hasUndeliveredFailure: Bool {
        content.withLock { content in
            guard case .failure? = content.outcome else { return false }
            return !content.isDelivered
        }
    }
    /// The path of the downloaded file before it is moved.
    var downloaded: String? {
        get { content.withLock(\.file) }
        set { content.withLock { $0.file = newValue } }
    }

    // MARK: Awaiting

    /// Awaits the end of the transfer. Returns `nil` if the awaiting task is canceled first.
    func outcome() async -> Outcome? {
        let number = content.withLock { content in
            content.last += 1
            return content.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isCanceled = content.withLock { content -> Bool? in
                    if content.outcome != nil { return false }
                    if content.canceled.remove(number) != nil { return true }
                    content.waiters[number] = waiter
                    return nil
                }
                if let isCanceled { waiter.resume(returning: isCanceled ? nil : deliveredOutcome()) }
            }
        } onCancel: {
            let waiter = content.withLock { content in
                let waiter = content.waiters.removeValue(forKey: number)
                if waiter == nil { content.canceled.insert(number) }
                return waiter
            }
            waiter?.resume(returning: nil)
        }
    }

    private func deliveredOutcome() -> Outcome? {
        content.withLock { content in
            content.isDelivered = true
            return content.outcome
        }
    }

    /// Records the end of the transfer. Only the first call counts.
    func end(_ outcome: Outcome) {
        let (waiters, observers) = content.withLock { content in
            guard content.outcome == nil else {
                return ([:], [:])
                    as ([Int: CheckedContinuation<Outcome?, Never>], [Int: AsyncStream<TransferProgress>.Continuation])
            }
            content.outcome = outcome
            content.isDelivered = !content.waiters.isEmpty
            defer { (content.waiters, content.observers) = ([:], [:]) }
            return (content.waiters, content.observers)
        }
        for observer in observers.values { observer.finish() }
        for waiter in waiters.values { waiter.resume(returning: outcome) }
    }

    // MARK: Progress

    /// The current progress.
    var currentProgress: TransferProgress { content.withLock(\.progress) }

    /// Reports a new progress. An unknown total leaves the known total.
    func report(_ change: TransferProgress) {
        content.withLock { content in
            let progress = TransferProgress(bytes: change.bytes, total: change.total ?? content.progress.total)
            guard progress != content.progress else { return }
            content.progress = progress
            // Under the lock, so that no observer receives an earlier progress last.
            for observer in content.observers.values { observer.yield(progress) }
        }
    }

    /// Returns the current progress and its changes until the end of the transfer.
    ///
    /// - Parameter session: The session, which exists at least as long as the sequence.
    func progress(keeping session: BackgroundSession) -> AsyncStream<TransferProgress> {
        let (stream, observer) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        let number = content.withLock { content in
            content.last += 1
            observer.yield(content.progress)
            if content.outcome == nil { content.observers[content.last] = observer } else { observer.finish() }
            return content.last
        }
        observer.onTermination = { [weak self] _ in
            withExtendedLifetime(session) {}
            self?.content.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
        return stream
    }
}

extension TransferProgress {
    /// Creates the progress of a download.
    init(_ snapshot: TaskSnapshot) { self.init(bytes: snapshot.received, total: snapshot.total) }
}
