// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import Synchronization

/// Delivery of events to the delegate.
extension URLSession {
    /// Starts to report events to the delegate. Each call waits until the delegate has returned from the one before.
    func deliver() {
        guard let background else { return }
        // The task retains the session until the session is invalidated. No caller could wait for the end of the
        // task.
        Task {
            var delivery = DelegateDelivery()
            for await event in background.events {
                guard let delegate = retainedDelegate.withLock({ $0 }) else { return }
                let call = delivery.call(for: event.kind, of: self, to: delegate)
                if let call { await onDelegateQueue(call) }
                event.acknowledge()
                if case .completed(let task, _) = event.kind { tasks.withLock { $0[task.identifier] = nil } }
            }
            Self.openSessions.withLock { $0[background.configuration.identifier] = nil }
            retainedDelegate.withLock { $0 = nil }
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

    /// Returns the object that represents a task in Apple's API. Each call for a task returns the same object.
    func task(for task: BackgroundTask) -> URLSessionTask {
        tasks.withLock { tasks in
            if let known = tasks[task.identifier] { return known }
            let made = task.isUpload ? BackgroundUploadTask.made(task) : BackgroundDownloadTask.made(task)
            tasks[task.identifier] = made
            return made
        }
    }
}
