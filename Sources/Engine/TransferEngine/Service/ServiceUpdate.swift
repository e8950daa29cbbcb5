// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// An update of a service.
package enum ServiceUpdate: Hashable, Sendable {
    /// The state of a transfer has changed. The event is present if the service reports events.
    case changed(TransferStatus, TransferEvent?)
    /// Some parts of the service's state have changed. The unchanged parts are `nil`.
    case status(DaemonStatus)
    /// The machine's conditions. Only from a service in the same process.
    case conditions(Conditions)
    /// The queue could not be saved, or could not be read completely. Only from a service in the same process.
    case storeError(TransferStoreError)
}

/// An event in the life of a transfer. The transfer's ``TransferStatus`` contains the resulting state.
package struct TransferEvent: Hashable, Sendable {
    /// The kind of an event, with the values that no status contains.
    package enum Kind: Hashable, Sendable {
        /// The transfer waits, or the reasons for its wait have changed.
        case waiting(WaitExplanation)
        /// The deadline is at risk, or was missed. The sentence describes the danger.
        case deadline(DeadlineState, sentence: String)
        /// An attempt started.
        case started
        /// Bytes arrived.
        case progressed
        /// The attempt starts again at byte 0.
        case restarted(RestartCause)
        /// The attempt was stopped.
        case stopped(WaitExplanation)
        /// The attempt failed and is retried.
        case retrying(WaitExplanation)
        /// The transfer ended. The completion is present if the server sent a complete response.
        case ended(TransferCompletion?)
    }

    /// The time of the event.
    package var time: WallTime
    /// The kind of the event.
    package var kind: Kind

    /// Creates an event.
    package init(time: WallTime, kind: Kind) { (self.time, self.kind) = (time, kind) }
}
