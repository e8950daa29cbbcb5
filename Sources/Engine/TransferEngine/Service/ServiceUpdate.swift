// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Something that a service tells those who watch.
package enum ServiceUpdate: Hashable, Sendable {
    /// The state of a transfer has changed, by the event where the service tells that.
    case changed(TransferStatus, TransferEvent?)
    /// Parts of the service's state that have changed; the others are nil.
    case status(DaemonStatus)
    /// The state of the machine, from a service in the same process.
    case conditions(Conditions)
    /// The queue could not be saved, or not be read whole; from a service in the same process.
    case storeTrouble(TransferStoreError)
}

/// An event in the life of a transfer. What it leads to stands in the transfer's ``TransferStatus``.
package struct TransferEvent: Hashable, Sendable {
    /// The kind of event, with what no status holds.
    package enum Kind: Hashable, Sendable {
        /// The transfer waits, or the reasons why it waits have changed.
        case waiting(WaitExplanation)
        /// An attempt began.
        case started
        /// Bytes came.
        case progressed
        /// The attempt was stopped.
        case stopped(WaitExplanation)
        /// The attempt failed; another one follows.
        case retrying(WaitExplanation)
        /// The transfer ended; with the server's answer if there was a complete one.
        case ended(TransferCompletion?)
    }

    /// When it happened.
    package var time: WallTime
    /// What happened.
    package var kind: Kind

    /// An event.
    package init(time: WallTime, kind: Kind) { (self.time, self.kind) = (time, kind) }
}
