// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization
internal import TransferModel

/// The body of one request: a range of the file, read as the network takes it.
final class UploadBody: Sendable {
    struct State: Sendable {
        /// Where the next byte is read.
        var position: Int64
        /// When bytes were taken last, in nanoseconds of `MonotonicTime`.
        var lastRead: UInt64 = 0
        /// Whether we hold the network up ourselves.
        var isWaiting = false
        /// Why reading came to an end.
        var failure: TransferFailure?
        /// When somebody was told last.
        var lastTold: UInt64 = 0
        /// Counts the streams: a connection that was found dead makes URLSession ask for a second one.
        var stream = 0
        /// Whether the connection broke so far in the body that beginning anew is not URLSession's to decide.
        var isLost = false
    }

    /// More bytes than these, the two small blocks that the repair begins with, are not sent twice without anybody having
    /// decided it.
    private static let largestRepeated: Int64 = 256 << 10
    private let file: UploadFile
    private let range: Range<Int64>
    /// Waits as the rate limit wants, after that many bytes.
    private let pace: @Sendable (Int) -> Void
    /// Called as bytes go, not more often than each `interval`, in nanoseconds.
    private let onRead: @Sendable () -> Void
    private let interval: UInt64
    private let state: Mutex<State>

    init(
        file: UploadFile, range: Range<Int64>, interval: UInt64, pace: @escaping @Sendable (Int) -> Void,
        onRead: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        self.file = file
        self.range = range
        self.pace = pace
        self.onRead = onRead
        state = Mutex(State(position: range.lowerBound))
    }

    /// How far it is.
    var progress: State { state.withLock { $0 } }

    /// Whether all bytes have been given to the network.
    var isSent: Bool { progress.position == range.upperBound }

    /// A stream from the beginning; those made before come to their end.
    ///
    /// libcurl sends a request again, and tells nobody, where a connection that it had kept breaks before an answer. That is
    /// right for a connection that had been dead all the time, which shows after the first block or two. Where more went out
    /// the stream fails, and the retry rule decides.
    func makeStream() -> InputStream {
        let number = state.withLock { state in
            if state.stream > 0, state.position - range.lowerBound > Self.largestRepeated { state.isLost = true }
            if !state.isLost { state.position = range.lowerBound }
            state.stream += 1
            return state.stream
        }
        return UploadStream(body: self, number: number)
    }

    fileprivate func hasBytes(_ number: Int) -> Bool {
        state.withLock { state in
            state.stream == number && (state.position < range.upperBound || state.failure != nil || state.isLost)
        }
    }

    /// The next bytes: their number, 0 at the end, -1 where the file cannot be sent.
    fileprivate func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int, _ number: Int) -> Int {
        let position = state.withLock { state -> Int64? in
            guard state.stream == number, state.failure == nil, !state.isLost else { return nil }
            return state.position
        }
        guard let position else { return -1 }
        let count = min(Int64(length), range.upperBound - position)
        guard count > 0 else { return 0 }
        switch file.read(into: buffer, Int(count), at: position) {
        case .failure(let failure):
            state.withLock { $0.failure = failure }
            return -1
        case .success(let got):
            // Before they are handed on: all of the bytes together would otherwise go out at once, and then none.
            state.withLock { $0.isWaiting = true }
            pace(got)
            let now = MonotonicTime.now()
            let isDue = state.withLock { state in
                state.isWaiting = false
                state.lastRead = now
                state.position += Int64(got)
                guard now >= state.lastTold + interval else { return false }
                state.lastTold = now
                return true
            }
            if isDue { onRead() }
            return got
        }
    }
}

/// URLSession's view of a body: it reads where and when it likes, but nothing outside the range.
///
/// Foundation's own file stream goes on where a file grows, and takes a short file for a short body.
private final class UploadStream: InputStream {
    // Guard: URLSession uses a stream on its one queue.
    private let body: UploadBody
    private let number: Int
    private var status = Stream.Status.notOpen

    init(body: UploadBody, number: Int) {
        self.body = body
        self.number = number
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { body.hasBytes(number) }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        body.read(buffer, length, number)
    }
}
