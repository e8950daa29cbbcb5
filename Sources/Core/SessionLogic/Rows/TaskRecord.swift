// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What is kept of a task.
package struct TaskRecord: Hashable, Sendable, Codable {
    package var snapshot: TaskSnapshot
    /// The transfer, where it is another than the one with the task's key.
    package var transfer: TransferID?
    /// Whether the app has cancelled it.
    package var isCancelled = false
    /// Whether its transfer, which was paused, is to go on and the engine may not know that yet; nil if it knows.
    package var isResuming: Bool?
    /// Whether the app had it started while in the background.
    package var isFromBackground = false
    /// How often the app has given it another request.
    package var generation = 0
    /// Whether the app has let a delayed task begin.
    package var mayBegin = false
    /// The kept file, of an upload that is not over.
    package var source: KeptSource?
    /// How it ended; nil while it has not.
    package var end: TaskEnd?
    /// How many of its last events the app has dealt with.
    package var acknowledged = 0

    package init(snapshot: TaskSnapshot) { self.snapshot = snapshot }
}

extension TaskRecord {
    /// The bytes that a task counts for, its answer included; never 0.
    var bookkeepingBytes: Int { snapshot.bookkeepingBytes + (end?.answerBytes ?? 0) }

    /// The events of its end that the app has not dealt with, with the places that they have.
    var waitingEvents: ArraySlice<(offset: Int, element: SessionEvent.Kind)> {
        Array((end?.kinds ?? []).enumerated()).dropFirst(acknowledged)
    }

    /// Removes what may be secret from a task that has ended: header fields, and what addresses have beside the server and
    /// the path. The app hears of its end all the same.
    mutating func removeSecrets() {
        snapshot.request.headers = [:]
        snapshot.request.url = TransferSpecification.redacted(url: snapshot.request.url)
        snapshot.response?.removeSecrets()
        end?.response?.removeSecrets()
    }

    /// What the task asks for.
    func constraints(by settings: SessionSettings) -> Constraints {
        let mayCost = settings.allowsExpensiveNetworkAccess && settings.allowsConstrainedNetworkAccess
        var constraints = Constraints(metered: mayCost ? .unstated : .unmetered)
        if !settings.allowsCellularAccess || !snapshot.request.allowsCellularAccess {
            constraints.linkKinds = .only(
                LinkKind.allCases.filter { $0 != .cellular }.reduce(into: LinkKinds()) { $0.insert(LinkKinds($1)) })
        }
        if !mayBegin { constraints.notBefore = snapshot.earliestBegin.map(NotBeforeConstraint.init) }
        return constraints
    }

    /// The task as the scheduler sees it.
    func traits(in key: SessionKey, by settings: SessionSettings, at now: WallTime) -> TransferTraits {
        TransferTraits(
            kind: settings.isDiscretionary ? .discretionary : .normal, constraints: constraints(by: settings),
            priority: snapshot.schedulingPriority, host: "", app: key.app,
            expectedBytesToReceive: snapshot.expectedToReceive, expectedBytesToSend: snapshot.expectedToSend,
            submitted: now, session: key.identifier, slotsPerHost: settings.maximumConnectionsPerHost,
            isFromBackground: isFromBackground, expires: now.advanced(by: .seconds(settings.resourceTimeout)))
    }
}

extension TaskSnapshot {
    /// 0…1000, from 0…1.
    var schedulingPriority: Int { Int((min(1, max(0, priority)) * 1000).rounded()) }

    /// Takes down how far the task is.
    mutating func noteBytes(_ bytes: Int64) {
        if kind == .download { received = bytes } else { sent = bytes }
    }
}

extension ResponseDescription {
    fileprivate mutating func removeSecrets() { url = TransferSpecification.redacted(url: url) }
}
