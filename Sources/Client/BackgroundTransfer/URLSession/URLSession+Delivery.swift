// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import Synchronization

/// Telling the delegate what happens.
extension URLSession {
    /// Tells the delegate of one event after the other, each when it is done with the one before.
    func deliver() {
        guard let background else { return }
        // The session's life: it holds itself until it is invalidated, and nobody could wait for its end.
        Task {
            var delivery = DelegateDelivery()
            for await event in background.events {
                guard let delegate = told.withLock({ $0 }) else { return }
                let call = delivery.call(for: event.kind, of: self, to: delegate)
                if let call { await onDelegateQueue(call) }
                event.acknowledge()
                if case .completed(let task, _) = event.kind { tasks.withLock { $0[task.identifier] = nil } }
            }
            Self.alive.withLock { $0[background.configuration.identifier] = nil }
            told.withLock { $0 = nil }
        }
    }

    private func onDelegateQueue(_ call: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            delegateQueue.addOperation {
                call()
                continuation.resume()
            }
        }
    }

    /// The task as Apple's API has it: the same object each time.
    func task(for task: BackgroundTask) -> URLSessionTask {
        tasks.withLock { tasks in
            if let known = tasks[task.identifier] { return known }
            let made = task.isUpload ? BackgroundUploadTask.made(task) : BackgroundDownloadTask.made(task)
            tasks[task.identifier] = made
            return made
        }
    }
}
