// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel
import TransferPolicy

/// The requirements of one transfer of the workload.
struct CoreJob {
    var kind: WorkKind
    var priority: Int
    var app: Int
    var host: Int
    var needsAC: Bool
    var needsUnmetered: Bool
    var needsWiFiOrEthernet: Bool
    /// The deadline, in nanoseconds from submission.
    var deadline: Int64?
    /// The earliest start, in nanoseconds from submission.
    var notBefore: Int64?

    private static let hour: Int64 = 3_600_000_000_000

    /// Creates a random job with the distribution that the README states.
    init(using generator: inout SplitMix64) {
        func isOneOf(hundred: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < hundred }
        let draw = Int.random(in: 0..<100, using: &generator)
        kind = draw < 70 ? .discretionary : draw < 95 ? .normal : .userInitiated
        priority = [250, 500, 750][Int.random(in: 0..<3, using: &generator)]
        app = Int.random(in: 0..<8, using: &generator)
        host = Int.random(in: 0..<16, using: &generator)
        needsAC = isOneOf(hundred: 50)
        needsUnmetered = isOneOf(hundred: 50)
        needsWiFiOrEthernet = isOneOf(hundred: 50)
        deadline = isOneOf(hundred: 25) ? Int64.random(in: 48...720, using: &generator) * Self.hour : nil
        notBefore = isOneOf(hundred: 10) ? Int64.random(in: 48...336, using: &generator) * Self.hour : nil
    }
}

/// A state of the machine in the workload.
struct CoreMachine {
    var isOnAC = false
    var network = CoreNetwork.none
    /// Whether a change of power was observed at `since`. ``isNetworkChange`` is the equivalent for the network.
    var isPowerChange = false
    var isNetworkChange = false
    var since = CoreWorkload.start

    enum CoreNetwork {
        case none
        /// An unmetered Wi-Fi network at home.
        case home
        /// An unmetered wired network at the office.
        case office
    }

    var conditions: Conditions {
        var conditions = Conditions(unknownSince: CoreWorkload.start)
        func fact<Value>(_ value: Value, _ source: FactSource, isChange: Bool) -> Fact<Value> {
            Fact(value, source: source, since: isChange ? since : CoreWorkload.start, isObservedChange: isChange)
        }
        conditions.power = fact(isOnAC ? .ac : .battery, .upower, isChange: isPowerChange)
        conditions.battery = fact(
            BatteryState(level: 30, charging: isOnAC ? .charging : .discharging, warning: .none), .upower,
            isChange: false)
        conditions.network = fact(network == .none ? .none : .full, .networkManager, isChange: false)
        conditions.linkKind = fact(
            network == .none ? .unknown : network == .home ? .wifi : .ethernet, .networkManager,
            isChange: isNetworkChange)
        conditions.metered = fact(network == .none ? .unknown : .no, .networkManager, isChange: false)
        conditions.connection = fact(
            network == .none ? nil : network == .home ? "home" : "office", .networkManager, isChange: isNetworkChange)
        return conditions
    }
}

/// The names of apps and servers.
struct CoreNames {
    let apps = (0..<8).map { "org.example.application\($0)" }
    let hosts = (0..<8).map { app in (0..<16).map { "https://server\($0).application\(app).example.org:443" } }
}

/// The start of the clocks, and the traits of the workload's transfers.
enum CoreWorkload {
    static let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_800_000_000))

    static func traits(of job: CoreJob, _ names: CoreNames, at now: ClockReading) -> TransferTraits {
        func date(_ span: Int64) -> WallTime { now.wall.advanced(by: .nanoseconds(span)) }
        return TransferTraits(
            kind: job.kind,
            constraints: Constraints(
                power: job.needsAC ? .ac : .any,
                linkKinds: job.needsWiFiOrEthernet ? .only([LinkKinds(.wifi), LinkKinds(.ethernet)]) : .any,
                metered: job.needsUnmetered ? .unmetered : .unstated,
                notBefore: job.notBefore.map { NotBeforeConstraint(date($0)) },
                deadline: job.deadline.map { DeadlineConstraint(date($0)) }),
            priority: job.priority, host: names.hosts[job.app][job.host], app: names.apps[job.app],
            submitted: now.wall)
    }
}
