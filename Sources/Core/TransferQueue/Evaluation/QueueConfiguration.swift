// SPDX-License-Identifier: Apache-2.0
package import TransferPolicy

/// The settings of the queue and of ``Assessment``. The scheduler's configuration documents each of them.
package protocol QueueConfiguration: Sendable {
    var globalSlots: Int { get }
    var slotsPerHost: Int { get }
    var slotsPerApp: Int { get }
    var slotsPerSession: Int { get }
    var agingInterval: Int { get }
    var isPreemptive: Bool { get }
    var powerDwell: Duration { get }
    var networkDwell: Duration { get }
    var linkKindDwell: Duration { get }
    var meteredDwell: Duration { get }
    var connectionDwell: Duration { get }
    var powerGrace: Duration { get }
    var networkGrace: Duration { get }
    var linkKindGrace: Duration { get }
    var meteredGrace: Duration { get }
    var connectionGrace: Duration { get }
    var unknownMetered: UnknownMeteredRule { get }
}

extension QueueConfiguration {
    /// The debounce times before a start and the hysteresis times before a stop, by fact.
    var hysteresis: Hysteresis {
        Hysteresis(
            start: { fact in
                switch fact {
                case .power: powerDwell
                case .network: networkDwell
                case .linkKind: linkKindDwell
                case .metered: meteredDwell
                case .connection: connectionDwell
                }
            },
            stop: { fact in
                switch fact {
                case .power: powerGrace
                case .network: networkGrace
                case .linkKind: linkKindGrace
                case .metered: meteredGrace
                case .connection: connectionGrace
                }
            })
    }
}
