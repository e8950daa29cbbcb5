// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// The settings of the queue and of ``PolicyEvaluator``. The scheduler's configuration documents each of them.
package protocol QueueConfiguration: Sendable {
    var globalSlots: Int { get }
    var slotsPerHost: Int { get }
    var slotsPerApp: Int { get }
    var slotsPerSession: Int { get }
    var agingInterval: Int { get }
    var isPreemptive: Bool { get }
    var startsLateTransfersLast: Bool { get }
    var powerDebounce: Duration { get }
    var networkDebounce: Duration { get }
    var linkKindDebounce: Duration { get }
    var meteredDebounce: Duration { get }
    var connectionDebounce: Duration { get }
    var powerHysteresis: Duration { get }
    var networkHysteresis: Duration { get }
    var linkKindHysteresis: Duration { get }
    var meteredHysteresis: Duration { get }
    var connectionHysteresis: Duration { get }
    var unknownMetered: UnknownMeteredRule { get }
    var keepsDeadlines: Bool { get }
}

extension QueueConfiguration {
    /// The debounce times before a start and the hysteresis times before a stop, by fact.
    var hysteresis: Hysteresis {
        Hysteresis(
            start: { fact in
                switch fact {
                case .power: powerDebounce
                case .network: networkDebounce
                case .linkKind: linkKindDebounce
                case .metered: meteredDebounce
                case .connection: connectionDebounce
                }
            },
            stop: { fact in
                switch fact {
                case .power: powerHysteresis
                case .network: networkHysteresis
                case .linkKind: linkKindHysteresis
                case .metered: meteredHysteresis
                case .connection: connectionHysteresis
                }
            })
    }
}

/// Delayed starts after sleep or an outage. The delays keep machines that come back together from hitting a server at
/// the same time.
package enum StaggeringRule {
    /// Returns whether starts of a kind are staggered: all work that needs the network, except user-initiated work.
    package static func applies(to kind: WorkKind, isLoopback: Bool) -> Bool {
        kind != .userInitiated && !isLoopback
    }
}
