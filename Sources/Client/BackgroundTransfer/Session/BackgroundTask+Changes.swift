// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferModel

/// The changes of a task's progress and state.
extension BackgroundTask {
    /// The state under Apple's names. A task that ended while the program was not running is completed when its end is
    /// reported. A program that compares the tasks with its own list therefore expects the end.
    var reportedState: State {
        content.withLock { $0.state == .completed && !$0.isEndReported ? .running : $0.state }
    }

    /// Calls a closure after each change of the task's progress or state. The closure replaces any earlier closure.
    func observe(_ observer: @escaping @Sendable () -> Void) { content.withLock { $0.observer = observer } }

    func reportChange() { content.withLock(\.observer)?() }

    /// Updates the task from one of its events.
    func apply(_ kind: SessionEvent.Kind) {
        defer { reportChange() }
        // An app that accepts the certificate in its delegate would not learn otherwise why that has no effect.
        if case .completed(let failure?) = kind, failure.code == URLError.serverCertificateUntrusted.rawValue {
            CertificateNote.log()
        }
        content.withLock { content in
            switch kind {
            case .received(let bytes, let total):
                content.snapshot.received = bytes
                content.snapshot.total = total ?? content.snapshot.total
            case .sent(let bytes, let total):
                content.snapshot.sent = bytes
                content.snapshot.total = total ?? content.snapshot.total
            case .continued(let offset, let total):
                content.snapshot.received = offset
                content.snapshot.total = total ?? content.snapshot.total
            case .responded(let response): content.snapshot.response = response
            case .completed(let failure):
                (content.state, content.isEndReported) = (.completed, true)
                content.snapshot.isEnded = true
                content.failure = failure
            case .willBegin: content.pendingReply = .begin
            case .challenged: content.pendingReply = .login
            // These events do not change the progress of the task.
            case .downloaded, .body, .called, .finishedEvents, .invalidated: break
            }
        }
    }
}
