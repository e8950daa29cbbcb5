// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A lock to wait on, by the clock that is never set.
///
/// NSCondition and DispatchSemaphore count by the wall clock on Linux: setting it back would hold a waiter up for as long.
final class MonotonicCondition: @unchecked Sendable {
    // Guard: both belong to the thread library, are made in `init` and never moved.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
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

    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits for a signal, or for nothing; only inside `withLock`.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// Waits for a signal up to that time of `MonotonicTime`; false when it has come. Only inside `withLock`.
    func wait(until end: UInt64) -> Bool {
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    func signal() { pthread_cond_signal(condition) }

    func broadcast() { pthread_cond_broadcast(condition) }
}
