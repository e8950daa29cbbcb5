// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Facts that a user assumes for one run, written `power=ac,network=wifi,metered=no,battery=80,profile=balanced`.
///
/// An assumption replaces the fact that the machine reports. A property is `nil` if nothing is assumed.
///
/// ```swift
/// let assumptions = try Assumptions(parsing: "power=ac,network=wifi")
/// let assumed = assumptions.applied(to: conditions)
/// ```
public struct Assumptions: Hashable, Sendable {
    /// The assumed power source.
    public var power: PowerSource?
    /// The assumed charge of the battery, in percent.
    public var batteryLevel: Int?
    /// The assumed reachability of the network.
    public var network: Reachability?
    /// The assumed kind of link.
    public var linkKind: LinkKind?
    /// The assumed price of the network.
    public var metered: Metered?
    /// The assumed choice between performance and battery life.
    public var powerProfile: PowerProfile?
    /// The assumed roaming state of the mobile network.
    public var roaming: Roaming?
    /// The assumed name of the connection.
    public var connection: String?
    /// The assumed price of energy in the unit of the price curve. The price never changes.
    public var price: Double?
    /// The assumed sleep state of the machine.
    public var sleep: SleepState?
    /// The assumed values of custom conditions, by name.
    public var custom: [String: String] = [:]

    /// Creates an empty set of assumptions.
    public init() {}

    /// Parses a comma-separated list of assumptions.
    ///
    /// `network=` takes a kind of link, which also assumes full reachability, or one of `none`, `portal`, `limited`,
    /// and `full`.
    ///
    /// - Parameters:
    ///   - text: The list.
    ///   - conditions: The values of the custom conditions that may be assumed, by name.
    /// - Throws: `AssumptionError` with the rejected word and the permitted alternatives.
    public init(parsing text: String, conditions: [String: [String]] = [:]) throws(AssumptionError) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let keys = Self.keys + conditions.keys.sorted().map { "\($0)=" }
            guard parts.count == 2 else { throw AssumptionError(word: String(word), allowed: keys) }
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
            case "price":
                guard parts[1].utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let value = Double(parts[1]),
                    value.isFinite
                else { throw AssumptionError(word: String(word), allowed: ["price=NUMBER"]) }
                price = value
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
            default:
                guard let values = conditions[parts[0]] else {
                    throw AssumptionError(word: String(word), allowed: keys)
                }
                guard values.contains(parts[1]) else {
                    throw AssumptionError(word: String(word), allowed: values.map { "\(parts[0])=\($0)" })
                }
                custom[parts[0]] = parts[1]
            }
        }
    }

    private static let keys = [
        "power=", "battery=", "network=", "metered=", "profile=", "roaming=", "sleep=", "connection=", "price=",
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

    /// Returns `conditions` with each assumed fact in place of the reported fact.
    public func applied(to conditions: Conditions) -> Conditions {
        var result = conditions
        func assume<Value>(_ fact: inout Fact<Value>, _ value: Value?) {
            guard let value else { return }
            fact = Fact(value, source: .assumption, since: fact.since, confidence: .assumed)
        }
        assume(&result.power, power)
        assume(&result.battery, batteryLevel.map { BatteryState(level: $0) })
        assume(&result.network, network)
        assume(&result.linkKind, linkKind)
        assume(&result.metered, metered)
        assume(&result.powerProfile, powerProfile)
        assume(&result.roaming, roaming)
        assume(&result.sleep, sleep)
        assume(&result.priceCurve, price.map { PriceCurve(always: $0) })
        assume(&result.connection, connection.map { $0 })
        for (name, value) in custom {
            let since = result.custom.first { $0.name == name }?.fact.since ?? result.sleep.since
            let fact = Fact<String?>(value, source: .assumption, since: since, confidence: .assumed)
            result.custom.replace(with: CustomCondition(name, fact, origin: FactSource.assumption.displayName))
        }
        return result
    }
}

/// An error for a word that is not a valid assumption.
public struct AssumptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rejected word.
    public var word: String
    /// The permitted alternatives.
    public var allowed: [String]

    /// A sentence that names the mistake and the permitted alternatives.
    public var description: String { "invalid assumption '\(word)'; use \(allowed.joined(separator: " or "))" }
}
