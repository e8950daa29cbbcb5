// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization
internal import TransferModel

/// The body of a request: a range of the file that is read at the pace of the network.
package final class UploadBody: Sendable {
    struct State: Sendable {
        /// The offset in the file of the next byte to read.
        var position: Int64
        /// The time of the last read, in nanoseconds of `MonotonicTime`.
        var lastRead: UInt64 = 0
        /// A Boolean value that indicates whether this process itself delays the network.
        var isWaiting = false
        /// The failure that ended the reading.
        var failure: TransferFailure?
        /// The time of the last `onRead` call.
        var lastReported: UInt64 = 0
        /// The number of passes begun so far. libcurl begins a second if a kept connection turns out to be dead.
        var pass = 0
        /// A Boolean value that indicates whether the connection broke too far into the body to send the body again.
        var isLost = false
    }

    /// The largest number of bytes that are sent twice without a decision of the retry rule.
    private static let largestRepeated: Int64 = 256 << 10
    private let file: UploadFile
    private let range: Range<Int64>
    /// Waits as long as the rate limit demands after a number of bytes.
    private let pace: @Sendable (Int) -> Void
    /// Called as bytes are read, at most once per `interval`, which is in nanoseconds.
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

    /// The current state of the body.
    var progress: State { state.withLock { $0 } }

    /// A Boolean value that indicates whether all bytes have been given to the network.
    var isSent: Bool { progress.position == range.upperBound }

    /// Begins a pass at the beginning of the body and returns its number. Earlier passes end.
    ///
    /// If a kept connection breaks before a response, libcurl silently sends the request again. This is correct for a
    /// connection that was dead from the start, and such a connection fails after the first block or two. If more
    /// bytes were sent, the pass fails and the retry rule decides.
    package func begin() -> Int {
        state.withLock { state in
            if state.pass > 0, state.position - range.lowerBound > Self.largestRepeated { state.isLost = true }
            if !state.isLost { state.position = range.lowerBound }
            state.pass += 1
            return state.pass
        }
    }

    /// Returns whether reading may return bytes or a failure.
    package func hasBytes(_ pass: Int) -> Bool {
        state.withLock { state in
            state.pass == pass && (state.position < range.upperBound || state.failure != nil || state.isLost)
        }
    }

    /// Reads the next bytes into `buffer`.
    ///
    /// - Returns: The number of bytes, 0 at the end of the body, or -1 if the file cannot be sent.
    package func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int, _ pass: Int) -> Int {
        let position = state.withLock { state -> Int64? in
            guard state.pass == pass, state.failure == nil, !state.isLost else { return nil }
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
            // The wait comes before the bytes are delivered. Otherwise all the bytes would be sent in one burst, and
            // then none.
            state.withLock { $0.isWaiting = true }
            pace(got)
            let now = MonotonicTime.now()
            let isDue = state.withLock { state in
                state.isWaiting = false
                state.lastRead = now
                state.position += Int64(got)
                guard now >= state.lastReported + interval else { return false }
                state.lastReported = now
                return true
            }
            if isDue { onRead() }
            return got
        }
    }
}
