// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TransferEngine
import TransferModel

/// A download that is written to standard output while it arrives.
///
/// The bytes are read from the partial file, up to the reported progress. A server whose file changes in the meantime
/// ends the output, because bytes that were written cannot be taken back.
struct StreamedOutput {
    /// An open file that is closed when released.
    private final class OpenFile: Sendable {
        let number: Int32

        /// Opens a file for reading. Returns `nil` if that fails.
        init?(_ path: String) {
            number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard number >= 0 else { return nil }
        }

        deinit { close(number) }
    }

    private let partialPath: @Sendable () async -> String?
    private var file: OpenFile?
    private var written: Int64 = 0
    /// Writes may block for as long as the reader does not read, so they have a thread of their own.
    private static let queue = DispatchQueue(label: "transferctl.output")

    /// Creates an output.
    ///
    /// - Parameter partialPath: A closure that returns the path of the partial file, or `nil` if there is none.
    init(partialPath: @escaping @Sendable () async -> String?) { self.partialPath = partialPath }

    /// Writes the bytes that have arrived by an event.
    ///
    /// - Returns: A description of the error that ends the output, or `nil` on success.
    mutating func record(_ status: TransferStatus, _ event: TransferEvent) async -> String? {
        switch event.kind {
        case .progressed:
            guard status.bytes > written else { return nil }
            if file == nil { file = await partialPath().flatMap { OpenFile($0) } }
            // The end of the transfer names a path in any case.
            guard file != nil else { return nil }
            return await copy(upTo: status.bytes)
        case .restarted:
            file = nil
            guard written > 0 else { return nil }
            return
                "the server started over after \(Formatting.bytes(written)) were written, so the output is incomplete; "
                + "run the command again, or use a file instead of '--output -'"
        case .ended(let completion):
            guard status.state == .finished, let result = completion?.file else { return nil }
            if file == nil { file = OpenFile(result.path) }
            guard file != nil else { return "cannot read \(result.path) (\(String(cString: strerror(errno))))" }
            return await copy(upTo: result.bytes)
        case .started, .waiting, .stopped, .retrying, .deadline: return nil
        }
    }

    /// Writes the bytes of the file from the last written byte to `end`.
    private mutating func copy(upTo end: Int64) async -> String? {
        guard let file else { return nil }
        let start = written
        let failure: String?
        (written, failure) = await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: Self.copy(file, from: start, to: end)) }
        }
        return failure
    }

    /// Writes bytes of a file, and returns the position after the last written byte with a description of the error.
    private static func copy(_ file: OpenFile, from start: Int64, to end: Int64) -> (Int64, String?) {
        var (position, block) = (start, [UInt8](repeating: 0, count: 1 << 18))
        while position < end {
            let count = pread(file.number, &block, min(block.count, Int(end - position)), off_t(position))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return (position, "cannot read the partial file (\(String(cString: strerror(errno))))") }
            // The file was truncated to start over, which the next event reports.
            if count == 0 { return (position, nil) }
            if let failure = Console.printBody(Array(block.prefix(count))) { return (position, failure) }
            if Console.isInterrupted { return (position, nil) }
            position += Int64(count)
        }
        return (position, nil)
    }
}
