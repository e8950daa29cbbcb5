// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// An executor under test, with its server and its disk.
///
/// `TransferExecutorContract` gets jobs and examines files through the harness. Executors that transfer real bytes
/// and executors that only pretend can therefore be tested in the same way.
public protocol TransferExecutorHarness: Sendable {
    /// The executor under test.
    var executor: any TransferExecutor { get }

    /// Returns a job for an attempt of a transfer. The server responds according to `delivery`.
    ///
    /// All jobs of a transfer refer to the same unchanged file, with the same size and with a validator.
    ///
    /// - Parameters:
    ///   - id: The transfer.
    ///   - delivery: The server's behavior for this attempt.
    ///   - resume: The point to continue from, or `nil` to start over.
    func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob

    /// Returns the size of the partial or finished file at `path`, in bytes. Returns `nil` if there is no file.
    func size(ofFileAt path: String) -> Int64?

    /// Returns whether the finished file equals the server's file for the transfer, to the last byte.
    func isRight(_ file: CompletedFile, for id: TransferID) -> Bool

    /// Releases the server and the folders. The executor has already been shut down.
    func close() async
}

/// The behavior of a server for an attempt.
public enum TransferDelivery: Hashable, Sendable {
    /// The server sends the whole file, or the part of it that is missing.
    case whole(size: Int64)
    /// The server sends the file up to the given byte, and then nothing for the rest of the attempt.
    case stalling(at: Int64, size: Int64)

    /// The size of the file, in bytes.
    public var size: Int64 {
        switch self {
        case .whole(let size), .stalling(_, let size): size
        }
    }

    /// The offset at which the server's data ends, in bytes.
    public var end: Int64 {
        switch self {
        case .whole(let size): size
        case .stalling(let end, _): end
        }
    }
}
