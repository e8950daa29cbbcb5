// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel
import URLSessionRepair

/// The rate of one attempt: all its requests go one after another through this.
final class RateLane: Sendable {
    /// The attempt's transfer.
    let id: TransferID
    /// The bounds that it is under.
    let limits: [RateLimit]
    /// What the transfer sets for itself.
    let ownLimit: Int64?
    /// The repair's number; 0 where there is none, so that nothing but our own waiting holds it.
    let number: UInt64
    private let heldUntil = Atomic<UInt64>(0)
    private let countedHere = Atomic<Int64>(0)

    init(job: TransferJob, isSending: Bool, isRepaired: Bool) {
        let specification = job.specification
        id = job.id
        limits = [
            .global, .app(specification.traits.app), .transfer(job.id.rawValue), isSending ? .sending : .receiving,
        ]
        ownLimit = specification.rateLimit.map { max(1, $0) }
        let isBackground = specification.traits.kind == .discretionary
        number = isRepaired ? transfer_urlsession_lane_open(isBackground ? 1 : 0) : 0
    }

    /// The header field that names it to the repair, which takes it out; nil without the repair.
    var field: HeaderField? {
        number == 0 ? nil : HeaderField(name: TRANSFER_URLSESSION_LANE_FIELD, value: String(number))
    }

    /// Bytes of bodies so far.
    var bytes: Int64 {
        let state = transfer_urlsession_lane_state(number)
        return number == 0 ? countedHere.load(ordering: .relaxed) : state.received + state.sent
    }

    /// Up to when we held it back ourselves, which is not the server's fault; in `MonotonicTime`.
    var lastHeld: UInt64 {
        max(heldUntil.load(ordering: .relaxed), transfer_urlsession_lane_state(number).held)
    }

    func hold(until time: UInt64) { heldUntil.store(time, ordering: .relaxed) }

    /// Counts bytes where the repair does not.
    func count(_ bytes: Int64) { countedHere.wrappingAdd(bytes, ordering: .relaxed) }

    /// Bytes a second from now on; nil for any amount.
    func setRate(_ rate: Int64?) { transfer_urlsession_lane_set_rate(number, rate ?? 0) }

    /// Ends its requests at once, ahead of their cancellation; the repair's work, without it nothing happens.
    func stop() { transfer_urlsession_lane_stop(number) }

    func close() { transfer_urlsession_lane_close(number) }
}
