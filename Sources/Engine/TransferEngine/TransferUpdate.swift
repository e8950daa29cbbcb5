// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferScheduling

/// Something that people who watch a transfer want to know.
public struct TransferUpdate: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// The transfer is in the queue, durably. This update comes before all others about a transfer of this run.
        case submitted(NewTransfer)
        /// It asks for something else now: its traits with the change, which is durable.
        case changed(TransferTraits)
        /// Somebody paused it, durably. If an attempt runs, it is being stopped; ``stopped(_:bytes:)`` follows.
        case paused
        /// Somebody resumed it, durably.
        case resumed
        /// It waits, or the reasons why it waits have changed. Told only of transfers that are watched.
        case waiting(Explanation)
        /// An attempt began; 1 is the first of this run of the engine.
        case started(attempt: Int)
        /// Bytes there so far, the size where it is known, and the rate in bytes a second.
        case progressed(bytes: Int64, total: Int64?, rate: Int64?)
        /// Its attempt was stopped, keeping `bytes`: because somebody paused it, or because it has to wait.
        case stopped(Explanation, bytes: Int64)
        /// An attempt failed; another one follows.
        case retrying(Explanation, TransferFailure, bytes: Int64)
        /// It ended with a complete answer of the server.
        case finished(TransferCompletion)
        /// It ended with an error.
        case failed(TransferFailure)
        /// It ended because somebody cancelled it.
        case cancelled
    }

    /// The transfer.
    public var id: TransferID
    /// When it happened.
    public var time: Moment
    /// What happened.
    public var kind: Kind
    /// The transfer's state after it; nil if the engine has no registry, or the registry does not know the transfer.
    public var status: TransferStatus?

    /// An update.
    public init(id: TransferID, time: Moment, kind: Kind, status: TransferStatus? = nil) {
        self.id = id
        self.time = time
        self.kind = kind
        self.status = status
    }
}

/// What the engine tells those who watch it.
public enum EngineUpdate: Hashable, Sendable {
    /// About one transfer.
    case transfer(TransferUpdate)
    /// About the machine.
    case conditions(Conditions)
    /// The queue could not be saved: what was to be saved is kept and tried again with the next change. Or, of the code
    /// `corrupt`, what earlier runs had learned could not be read at the start, and counting begins anew.
    case storeTrouble(TransferStoreError)
}
