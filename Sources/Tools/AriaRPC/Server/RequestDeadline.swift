// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Measures how long a client takes for a request, or to read an answer.
final class RequestDeadline: Sendable {
    /// The maximum time for a request and its answer.
    static let time = Duration.seconds(30)

    private struct State {
        /// The time of the first byte without an answer; the start of the connection before the first byte.
        var waitingSince: ContinuousClock.Instant? = .now
        /// Whether bytes have arrived since the last answer.
        var hasReceived = false
    }

    private let state = Mutex(State())

    /// Records that the client has sent bytes.
    func received() {
        state.withLock { $0 = State(waitingSince: $0.waitingSince ?? .now, hasReceived: true) }
    }

    /// Records that an answer is being written, which the client has to read.
    func answering() { state.withLock { $0 = State() } }

    /// Records that an answer was written. The time goes on if the client has sent more meanwhile.
    func answered() {
        state.withLock { if !$0.hasReceived { $0.waitingSince = nil } }
    }

    /// Returns when the client has taken too long.
    func wait() async {
        while !Task.isCancelled {
            // A request that begins meanwhile cannot be late before this wait ends.
            let end = (state.withLock { $0.waitingSince } ?? .now).advanced(by: Self.time)
            guard end > .now else { return }
            try? await Task.sleep(until: end, clock: .continuous)
        }
    }
}
