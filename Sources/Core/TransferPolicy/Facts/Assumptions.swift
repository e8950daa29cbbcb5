// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Facts that a person takes for granted for one run, written `power=ac,network=wifi,metered=no,battery=80,profile=balanced`.
public struct Assumptions: Hashable, Sendable {
    /// What the machine is to be taken to run on.
    public var power: PowerSource?
    /// The battery's charge in percent.
    public var batteryLevel: Int?
    /// What is to be taken as reachable.
    public var network: Reachability?
    /// The kind of link.
    public var linkKind: LinkKind?
    /// Whether bytes cost money.
    public var metered: Metered?
    /// What the person chose between speed and battery life.
    public var powerProfile: PowerProfile?
    /// Whether the mobile network is a foreign one.
    public var roaming: Roaming?
    /// The connection's name.
    public var connection: String?
    /// Whether the machine is awake.
    public var sleep: SleepState?

    /// Nothing assumed.
    public init() {}

    /// Reads the written form.
    ///
    /// `network=` takes a kind of link (then a full network is assumed), or one of none, portal, limited, full.
    ///
    /// - Throws: `AssumptionError` that names the word that was wrong and what would be right.
    public init(parsing text: String) throws(AssumptionError) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw AssumptionError(word: String(word), allowed: Self.keys) }
            switch parts[0] {
            case "power": power = try Self.value(parts, of: PowerSource.self)
            case "metered": metered = try Self.value(parts, of: Metered.self)
            case "profile": powerProfile = try Self.value(parts, of: PowerProfile.self)
            case "roaming": roaming = try Self.value(parts, of: Roaming.self)
            case "sleep": sleep = try Self.value(parts, of: SleepState.self)
            case "connection":
                guard !parts[1].isEmpty else {
                    throw AssumptionError(word: String(word), allowed: ["connection=NAME"])
                }
                connection = parts[1]
            case "battery":
                guard let level = Int(parts[1]), (0...100).contains(level) else {
                    throw AssumptionError(word: String(word), allowed: ["battery=0…100"])
                }
                batteryLevel = level
            case "network":
                if let kind = LinkKind(rawValue: parts[1]), kind != .unknown {
                    (linkKind, network) = (kind, .full)
                } else if let reachability = Reachability(rawValue: parts[1]) {
                    network = reachability
                } else {
                    let names = LinkKind.allCases.map(\.rawValue) + Reachability.allCases.map(\.rawValue)
                    throw AssumptionError(word: String(word), allowed: names.map { "network=\($0)" })
                }
            default: throw AssumptionError(word: String(word), allowed: Self.keys)
            }
        }
    }

    private static let keys = [
        "power=", "battery=", "network=", "metered=", "profile=", "roaming=", "sleep=", "connection=",
    ]

    private static func value<Value: RawRepresentable & CaseIterable>(
        _ parts: [String], of type: Value.Type
    ) throws(AssumptionError) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: parts[1]) else {
            throw AssumptionError(
                word: parts.joined(separator: "="), allowed: Value.allCases.map { "\(parts[0])=\($0.rawValue)" })
        }
        return value
    }

    /// `conditions` with what is assumed in place of what was read.
    public func applied(to conditions: Conditions) -> Conditions {
        var result = conditions
        func assume<Value>(_ fact: inout Fact<Value>, _ value: Value?) {
            guard let value else { return }
            fact = Fact(value, source: .assumption, since: fact.since, sureness: .assumed)
        }
        assume(&result.power, power)
        assume(&result.battery, batteryLevel.map { BatteryState(level: $0) })
        assume(&result.network, network)
        assume(&result.linkKind, linkKind)
        assume(&result.metered, metered)
        assume(&result.powerProfile, powerProfile)
        assume(&result.roaming, roaming)
        assume(&result.sleep, sleep)
        assume(&result.connection, connection.map { $0 })
        return result
    }
}

/// A word that cannot be assumed.
public struct AssumptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public var word: String
    /// What would be right.
    public var allowed: [String]

    /// One sentence: what was wrong, and what would be right.
    public var description: String { "'\(word)' cannot be assumed; write \(allowed.joined(separator: " or "))" }
}
