// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferScheduling

/// Something that people who watch a transfer want to know.
public struct TransferUpdate: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// It waits, or the reasons why it waits have changed. Told only of transfers that are watched.
        case waiting(Explanation)
        /// An attempt began; 1 is the first of this run of the engine.
        case started(attempt: Int)
        /// Bytes there so far, the size where it is known, and the rate in bytes a second.
        case progressed(bytes: Int64, total: Int64?, rate: Int64?)
        /// It ran and was stopped, keeping `bytes`.
        case paused(Explanation, bytes: Int64)
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

    /// An update.
    public init(id: TransferID, time: Moment, kind: Kind) {
        self.id = id
        self.time = time
        self.kind = kind
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
