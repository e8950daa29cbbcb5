// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A thread that waits for descriptors on behalf of all tests of a process.
///
/// Swift runs tests on as many threads as there are processors. A test that blocked its thread would delay the others.
final class Readiness: Sendable {
    private struct Waiter: Sendable {
        var polls: [pollfd]
        var deadline: ContinuousClock.Instant?
        /// Called on the thread with `true` if a descriptor is ready, and with `false` at the deadline. The waiter stays if
        /// the result is `true`.
        var handle: @Sendable (Bool) -> Bool
    }

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var nextID: UInt64 = 0
    }

    static let shared = Readiness()

    private let state = Mutex(State())
    /// Both ends of a pipe. A byte makes the thread look at its waiters again.
    private let (wakeReader, wakeWriter): (Int32, Int32)

    private init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "a pipe is needed")
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        Thread.detachNewThread { while true { self.pollOnce() } }
    }

    func observe(_ descriptor: Int32, _ handle: @escaping @Sendable () -> Bool) {
        let entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = add(Waiter(polls: [entry], deadline: nil) { _ in handle() })
    }

    /// Waits until one of the descriptors has one of the events in its entry.
    ///
    /// - Returns: `false` at the deadline.
    /// - Throws: `CancellationError` if the task is canceled.
    func wait(for polls: [pollfd], until deadline: ContinuousClock.Instant) async throws -> Bool {
        let waiterID = Mutex<UInt64?>(nil)
        let isReady = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let id = add(
                    Waiter(polls: polls, deadline: deadline) { isReady in
                        continuation.resume(returning: isReady)
                        return false
                    })
                waiterID.withLock { $0 = id }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            if let id = waiterID.withLock(\.self) { cancel(id) }
        }
        try Task.checkCancellation()
        return isReady
    }

    private func add(_ waiter: Waiter) -> UInt64 {
        defer { wake() }
        return state.withLock { state in
            state.nextID += 1
            state.waiters[state.nextID] = waiter
            return state.nextID
        }
    }

    /// Ends a waiter as at its deadline, on the thread.
    private func cancel(_ id: UInt64) {
        state.withLock { $0.waiters[id]?.deadline = .now }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        write(wakeWriter, &byte, 1)
    }

    private func pollOnce() {
        let waiters = state.withLock { Array($0.waiters) }
        var polls = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)] + waiters.flatMap(\.value.polls)
        let next = waiters.compactMap(\.value.deadline).min()
        _ = poll(&polls, nfds_t(polls.count), next.map(Self.milliseconds) ?? -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeReader, &bytes, bytes.count) > 0 {}
        var rest = polls.dropFirst()
        for (id, waiter) in waiters {
            let isReady = rest.prefix(waiter.polls.count).contains { $0.revents != 0 }
            rest = rest.dropFirst(waiter.polls.count)
            // A canceled waiter has a new deadline.
            let isOver = state.withLock { ($0.waiters[id]?.deadline).map { $0 <= .now } ?? false }
            guard isReady || isOver, !waiter.handle(isReady) else { continue }
            state.withLock { $0.waiters[id] = nil }
        }
    }

    /// The milliseconds until a deadline, rounded up.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        Int32(max(0, min(60_000, ((deadline - ContinuousClock.now) / .milliseconds(1)).rounded(.up))))
    }
}

/// Calls `handle` on a thread whenever the descriptor is readable, until `handle` returns `false`.
package func observe(_ descriptor: Int32, _ handle: @escaping @Sendable () -> Bool) {
    Readiness.shared.observe(descriptor, handle)
}

/// Waits until a descriptor is readable, or has one of the other events of poll(2).
///
/// - Returns: `false` after the time.
package func isReady(
    _ descriptor: Int32, for events: Int32 = Int32(POLLIN), within seconds: Double
) async throws -> Bool {
    let entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return try await Readiness.shared.wait(for: [entry], until: .now + .seconds(seconds))
}
