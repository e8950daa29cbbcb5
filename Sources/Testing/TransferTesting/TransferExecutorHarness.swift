// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// An executor on trial, and the server and the disk around it.
///
/// `TransferExecutorContract` asks it for jobs and looks at files through it, so that an executor that moves real bytes
/// and one that only pretends can be tried alike.
public protocol TransferExecutorHarness: Sendable {
    /// The executor that is tried.
    var executor: any TransferExecutor { get }

    /// An attempt of that transfer which the server will answer so.
    ///
    /// Jobs of one transfer are for the same file of the same size, unchanged, with a validator.
    func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob

    /// How many bytes the partial or finished file at `path` has; nil where there is none.
    func size(ofFileAt path: String) -> Int64?

    /// Whether the finished file is what the server has under that transfer, to the last byte.
    func isRight(_ file: CompletedFile, for id: TransferID) -> Bool

    /// Lets go of the server and the folders; the executor has been shut down.
    func close() async
}

/// How a server answers an attempt.
public enum TransferDelivery: Hashable, Sendable {
    /// It sends the whole file, or what is missing of it.
    case whole(size: Int64)
    /// It sends the file up to that byte, and then nothing for as long as the attempt lasts.
    case stalling(at: Int64, size: Int64)

    /// The size of the file.
    public var size: Int64 {
        switch self {
        case .whole(let size), .stalling(_, let size): size
        }
    }

    /// Where the bytes end that it sends.
    public var end: Int64 {
        switch self {
        case .whole(let size): size
        case .stalling(let end, _): end
        }
    }
}
