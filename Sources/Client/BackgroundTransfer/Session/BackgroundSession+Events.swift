// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
internal import TransferModel

/// The conversion of a session's events for the program.
extension BackgroundSession {
    /// Waits until the session's handler has returned, if the program was started or called for the session.
    func waitForHandler() async { await application.waitForHandler(of: configuration.identifier) }

    /// Converts an event with ``convert(_:)``, and keeps the program running until the event has been handled.
    func report(_ event: SessionEvent) -> BackgroundEvent? {
        guard var converted = convert(event) else { return nil }
        let isLast = if case .finishedEvents = converted.kind { true } else { false }
        converted.inHand = EventInHand(of: configuration.identifier, isLast: isLast, in: application)
        return converted
    }

    /// Updates the event's task and converts the event for the program. Returns `nil` if the event is not for the
    /// program or its task is unknown.
    func convert(_ event: SessionEvent) -> BackgroundEvent? {
        let identifier = configuration.identifier
        let acknowledge: @Sendable () -> Void = { [channel] in
            if let number = event.number { channel.acknowledge(number, in: identifier) }
        }
        guard let number = event.task else {
            switch event.kind {
            case .finishedEvents: return BackgroundEvent(.finishedEvents, acknowledgement: acknowledge)
            case .called: application.handleEvents(of: identifier)
            default: break
            }
            return nil
        }
        guard let task = content.withLock({ $0.tasks[number] }) else {
            // Without an acknowledgement, the event would be reported at every start.
            acknowledge()
            return nil
        }
        task.apply(event.kind)
        switch event.kind {
        case .received(let bytes, let total):
            return BackgroundEvent(.received(task, bytes: bytes, total: total), acknowledgement: acknowledge)
        case .sent(let bytes, let total):
            return BackgroundEvent(.sent(task, bytes: bytes, total: total), acknowledgement: acknowledge)
        case .continued(let offset, let total):
            return BackgroundEvent(.continued(task, offset: offset, total: total), acknowledgement: acknowledge)
        case .responded(let description):
            return description.response.map { BackgroundEvent(.responded(task, $0), acknowledgement: acknowledge) }
        case .downloaded(let path):
            return BackgroundEvent(.downloaded(task, URL(fileURLWithPath: path)), acknowledgement: acknowledge)
        case .body(let data):
            return BackgroundEvent(.body(task, Data(data)), acknowledgement: acknowledge)
        case .completed:
            return BackgroundEvent(.completed(task, task.error)) { [self] in
                acknowledge()
                content.withLock { $0.tasks[number] = nil }
                closeIfDone()
            }
        case .willBegin(var request):
            // The daemon's event does not contain the body.
            request.body = request.body ?? task.snapshot.request.body
            guard let request = request.request else { return nil }
            return BackgroundEvent(.willBegin(task, request)) { task.replyByDefault() }
        case .challenged(let description):
            guard let challenge = BackgroundChallenge(description) else { return nil }
            return BackgroundEvent(.challenged(task, challenge)) { task.replyByDefault() }
        case .called, .finishedEvents, .invalidated: return nil
        }
    }
}
