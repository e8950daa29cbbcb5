// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel

/// The rate limiter of one attempt. All requests of the attempt pass through the rate limiter one after another.
package final class RateLimiter: Sendable {
    /// The identifier of the attempt's transfer.
    let id: TransferID
    /// The rate limits that apply to the attempt.
    let limits: [RateLimit]
    /// The transfer's own rate limit in bytes per second, at least 1. `nil` means unlimited.
    let ownLimit: Int64?
    /// A Boolean value that indicates whether the packets are marked as lower effort (RFC 8622).
    package let isBackground: Bool
    /// A Boolean value that indicates whether the user accepts any certificate for the transfer.
    package let acceptsAnyCertificate: Bool
    private let delayedUntil = Atomic<UInt64>(0)
    private let counted = Atomic<Int64>(0)
    private let currentRate = Atomic<Int64>(0)
    /// The bytes in excess of the rate, in each direction.
    private let debts = Mutex((received: RateDebt(), sent: RateDebt()))

    init(job: TransferJob, isSending: Bool) {
        let specification = job.specification
        id = job.id
        limits = [
            .global, .app(specification.traits.app), .transfer(job.id.rawValue), isSending ? .sending : .receiving,
        ]
        ownLimit = specification.rateLimit.map { max(1, $0) }
        isBackground = specification.traits.kind == .discretionary
        acceptsAnyCertificate = specification.acceptsAnyCertificate
    }

    /// The number of bytes of bodies transferred so far.
    var bytes: Int64 { counted.load(ordering: .relaxed) }

    /// The end of the last delay that the rate limiter caused, in `MonotonicTime`. The server is not at fault for a
    /// delay before that time.
    var lastDelayEnd: UInt64 { delayedUntil.load(ordering: .relaxed) }

    /// Records a delay that the rate limiter causes.
    package func delay(until time: UInt64) { delayedUntil.store(time, ordering: .relaxed) }

    /// Counts bytes that were transferred.
    func count(_ bytes: Int64) { counted.wrappingAdd(bytes, ordering: .relaxed) }

    /// The rate in bytes per second. `nil` means unlimited.
    package var rate: Int64? {
        let rate = currentRate.load(ordering: .relaxed)
        return rate > 0 ? rate : nil
    }

    /// Sets the rate in bytes per second. `nil` means unlimited.
    func setRate(_ rate: Int64?) {
        // At a lower rate, one block would wait longer than any timeout.
        currentRate.store(rate.map { max(128, $0) } ?? 0, ordering: .relaxed)
    }

    // MARK: For transports that control their connections

    /// Returns the time until the rate allows more bytes, in nanoseconds.
    package func wait(isSending: Bool, now: UInt64) -> UInt64 {
        guard let rate else { return 0 }
        return debts.withLock { debts in
            func wait(_ debt: inout RateDebt) -> UInt64 {
                debt.update(now: now, bytesPerSecond: rate)
                return debt.wait(bytesPerSecond: rate)
            }
            return isSending ? wait(&debts.sent) : wait(&debts.received)
        }
    }

    /// Records bytes that were transferred.
    package func transferred(_ bytes: Int, isSending: Bool) {
        count(Int64(bytes))
        guard rate != nil else { return }
        debts.withLock { isSending ? $0.sent.record(Int64(bytes)) : $0.received.record(Int64(bytes)) }
    }
}
