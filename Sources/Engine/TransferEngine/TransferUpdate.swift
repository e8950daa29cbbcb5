// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferScheduling

/// An update about one transfer, for observers of the engine.
public struct TransferUpdate: Hashable, Sendable {
    /// The kind of an update.
    ///
    /// ## Topics
    /// ### The queue
    /// - ``submitted(_:)``
    /// - ``changed(_:isMoved:)``
    /// - ``paused``
    /// - ``resumed``
    /// - ``waiting(_:)``
    /// - ``deadline(_:_:)``
    /// ### Attempts
    /// - ``started(attempt:)``
    /// - ``progressed(bytes:total:rate:)``
    /// - ``restarted(_:)``
    /// - ``stopped(_:bytes:)``
    /// - ``retrying(_:_:bytes:)``
    /// ### The end
    /// - ``finished(_:)``
    /// - ``failed(_:)``
    /// - ``cancelled``
    public enum Kind: Hashable, Sendable {
        /// The transfer is durably in the queue. This update precedes all others about a transfer that is submitted
        /// in this run.
        case submitted(NewTransfer)
        /// The requirements of the transfer, or its URL, changed durably. The value is the new specification.
        case changed(TransferSpecification, isMoved: Bool)
        /// The transfer was paused durably. If an attempt runs, the attempt is being stopped; ``stopped(_:bytes:)``
        /// follows.
        case paused
        /// The transfer was resumed durably.
        case resumed
        /// The transfer waits, or the reasons for its wait have changed. Reported only for watched transfers.
        case waiting(Explanation)
        /// The deadline of the transfer is at risk, or was missed. Each state is reported once. The outlook contains the
        /// estimate.
        case deadline(DeadlineState, DeadlineOutlook?)
        /// An attempt started. The first attempt of this run of the engine has number 1.
        case started(attempt: Int)
        /// The number of bytes so far, the size if the size is known, and the rate in bytes per second.
        case progressed(bytes: Int64, total: Int64?, rate: Int64?)
        /// The attempt starts again at byte 0, because the previous bytes were discarded.
        case restarted(RestartCause)
        /// The attempt was stopped and keeps `bytes`. The transfer was paused, or must wait.
        case stopped(Explanation, bytes: Int64)
        /// An attempt failed and is retried.
        case retrying(Explanation, TransferFailure, bytes: Int64)
        /// The transfer ended with a complete response of the server.
        case finished(TransferCompletion)
        /// The transfer ended with an error.
        case failed(TransferFailure)
        /// The transfer was canceled.
        case cancelled
    }

    /// The ID of the transfer.
    public var id: TransferID
    /// The time of the event.
    public var time: ClockReading
    /// The kind of the event, with its values.
    public var kind: Kind
    /// The transfer's state after the event. `nil` if the engine has no registry or the registry does not know the
    /// transfer.
    public var status: TransferStatus?

    /// Creates an update.
    public init(id: TransferID, time: ClockReading, kind: Kind, status: TransferStatus? = nil) {
        self.id = id
        self.time = time
        self.kind = kind
        self.status = status
    }
}

/// An update of an engine.
public enum EngineUpdate: Hashable, Sendable {
    /// An update about one transfer.
    case transfer(TransferUpdate)
    /// A new snapshot of the machine's conditions.
    case conditions(Conditions)
    /// An error of the store. Unsaved changes are kept and retried with the next change.
    ///
    /// The code `corrupt` at the start means that the statistics of earlier runs could not be read. The statistics
    /// then start over.
    case storeError(TransferStoreError)
}
