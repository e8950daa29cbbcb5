// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import TransferEngine
import TransferModel

/// Tells subscribers what happens to downloads, as aria2's notifications.
actor NewsFeed {
    /// The identifier of a subscriber.
    typealias Subscription = Int

    private var subscribers: [Subscription: @Sendable (String) async -> Void] = [:]
    private var next = 0
    /// The last known states of unfinished downloads.
    private var states: [TransferID: TransferStatus.State] = [:]

    /// Adds a subscriber, who receives the text of each notification.
    func subscribe(_ deliver: @escaping @Sendable (String) async -> Void) -> Subscription {
        next += 1
        subscribers[next] = deliver
        return next
    }

    /// Removes a subscriber.
    func cancel(_ subscription: Subscription) { subscribers[subscription] = nil }

    /// Tells the subscribers of a change.
    func report(_ status: TransferStatus) async {
        guard !status.isUpload else { return }
        let former = states[status.id]
        states[status.id] = status.state.isEnded ? nil : status.state
        guard former != status.state, let event = Self.event(status.state) else { return }
        let message: JSONValue = .object([
            "jsonrpc": "2.0", "method": .string(event.rawValue),
            "params": .array([.object(["gid": .string(DownloadGID.text(status.id))])]),
        ])
        guard let data = try? message.makeData(options: .withoutEscapingSlashes) else { return }
        for deliver in subscribers.values { await deliver(String(decoding: data, as: UTF8.self)) }
    }

    /// Returns the notification of a new state. Waiting has none.
    static func event(_ state: TransferStatus.State) -> RPCNotification? {
        switch state {
        case .waiting: nil
        case .running: .started
        case .paused: .paused
        case .finished: .completed
        case .failed: .failed
        case .cancelled: .stopped
        }
    }
}
