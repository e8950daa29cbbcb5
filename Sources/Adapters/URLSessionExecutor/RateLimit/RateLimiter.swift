// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel
import URLSessionInterposer

/// The rate limiter of one attempt. All requests of the attempt pass through the rate limiter one after another.
final class RateLimiter: Sendable {
    /// The identifier of the attempt's transfer.
    let id: TransferID
    /// The rate limits that apply to the attempt.
    let limits: [RateLimit]
    /// The transfer's own rate limit in bytes per second, at least 1. `nil` means unlimited.
    let ownLimit: Int64?
    /// The number of the rate limiter in the interposer. 0 without the interposer; only waits in the executor limit the
    /// rate then.
    let number: UInt64
    private let delayedUntil = Atomic<UInt64>(0)
    private let countedHere = Atomic<Int64>(0)

    init(job: TransferJob, isSending: Bool, isInterposerActive: Bool) {
        let specification = job.specification
        id = job.id
        limits = [
            .global, .app(specification.traits.app), .transfer(job.id.rawValue), isSending ? .sending : .receiving,
        ]
        ownLimit = specification.rateLimit.map { max(1, $0) }
        let isBackground = specification.traits.kind == .discretionary
        number = isInterposerActive ? transfer_urlsession_limiter_open(isBackground ? 1 : 0) : 0
        if specification.acceptsAnyCertificate { transfer_urlsession_limiter_accept_any_certificate(number) }
    }

    /// The number of bytes of bodies transferred so far.
    var bytes: Int64 {
        let state = transfer_urlsession_limiter_state(number)
        return number == 0 ? countedHere.load(ordering: .relaxed) : state.received + state.sent
    }

    /// The end of the last delay that the rate limiter caused, in `MonotonicTime`. The server is not at fault for a
    /// delay before that time.
    var lastDelayEnd: UInt64 {
        max(delayedUntil.load(ordering: .relaxed), transfer_urlsession_limiter_state(number).held)
    }

    func delay(until time: UInt64) { delayedUntil.store(time, ordering: .relaxed) }

    /// Counts bytes that the interposer does not count.
    func count(_ bytes: Int64) { countedHere.wrappingAdd(bytes, ordering: .relaxed) }

    /// Sets the rate in bytes per second. `nil` means unlimited.
    func setRate(_ rate: Int64?) { transfer_urlsession_limiter_set_rate(number, rate ?? 0) }

    /// Ends the rate limiter's requests immediately, before URLSession cancels them. Does nothing without the
    /// interposer.
    func stop() { transfer_urlsession_limiter_stop(number) }

    func close() { transfer_urlsession_limiter_close(number) }
}
