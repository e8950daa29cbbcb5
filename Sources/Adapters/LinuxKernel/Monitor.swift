// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A value behind a lock, with waits for its changes that are timed by the monotonic clock.
///
/// On Linux, NSCondition and DispatchSemaphore use the wall clock: setting that clock back would delay a waiting
/// thread by the same amount.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    // Guard: `state` is used under `mutex` only. Mutex and condition belong to the thread library, are created in
    // `init`, and are never moved.
    private var state: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: Value) {
        state = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// A copy of the value.
    package var value: Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return state
    }

    /// Changes the value and wakes all waiting threads.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result { change(once: { _ in true }, body) }

    /// Waits until `isReady` returns true for the value, then changes the value and wakes all waiting threads.
    package func change<Result>(once isReady: (Value) -> Bool, _ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        while !isReady(state) { pthread_cond_wait(condition, mutex) }
        return body(&state)
    }

    /// Waits until `isReady` returns true for the value, or until `end`, a time of `MonotonicTime`.
    ///
    /// - Returns: False if `end` is reached first.
    @discardableResult
    package func wait(until end: UInt64, for isReady: (Value) -> Bool) -> Bool {
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(state) {
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return isReady(state) }
        }
        return true
    }
}
