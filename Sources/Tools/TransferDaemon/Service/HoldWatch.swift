// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// A stream that carries changes of the hold to the bus.
final class HoldWatch: Sendable {
    let changes: AsyncStream<Fact<MachineHold?>>
    private let continuation: AsyncStream<Fact<MachineHold?>>.Continuation

    init() { (changes, continuation) = AsyncStream.makeStream() }

    func report(_ hold: Fact<MachineHold?>) { continuation.yield(hold) }
}
