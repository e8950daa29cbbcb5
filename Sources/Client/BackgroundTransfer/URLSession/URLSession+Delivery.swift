// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import Synchronization

/// Delivery of events to the delegate.
extension URLSession {
    /// Starts to report events to the delegate. Each call waits until the previous call has returned.
    func deliver() {
        guard let background else { return }
        // The task retains the session until the session is invalidated. No caller could wait for the end of the
        // task.
        Task {
            var delivery = DelegateDelivery()
            for await event in background.events {
                guard let delegate = retainedDelegate.withLock({ $0 }) else { return }
                let call = delivery.call(for: event, of: self, to: delegate)
                if let call { await delegateQueue.run(call) }
                // The delegate may reply to a request after its method has returned.
                if call == nil || !event.isQuestion { event.acknowledge() }
                if case .completed(let task, _) = event.kind { objects.remove(task) }
            }
            Self.openSessions.withLock { $0[background.configuration.identifier] = nil }
            retainedDelegate.withLock { $0 = nil }
        }
    }
}

extension OperationQueue {
    /// Runs a closure on the queue and waits until the closure has returned.
    fileprivate func run(_ call: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            addOperation {
                call()
                continuation.resume()
            }
        }
    }
}

extension BackgroundEvent {
    /// Whether the event requests a reply from the program.
    fileprivate var isQuestion: Bool {
        switch kind {
        case .willBegin, .challenged: true
        default: false
        }
    }
}
