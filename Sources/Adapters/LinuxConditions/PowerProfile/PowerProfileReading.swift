// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The readings of the services that report the power profile.
struct PowerProfileReading: Hashable, Sendable {
    /// The services that are queried.
    enum Service: String, Hashable, Sendable, Codable, CaseIterable {
        /// power-profiles-daemon under its current name.
        case current
        /// power-profiles-daemon under its name until 2023.
        case former
        /// The desktop portal.
        case portal
    }

    /// The profile from power-profiles-daemon under its current name.
    var current: Availability<PowerProfile> = .pending
    /// The profile from power-profiles-daemon under its name until 2023.
    var former: Availability<PowerProfile> = .pending
    /// Whether the desktop portal asks programs to save power; absent if the portal is not queried.
    var portal: Availability<Bool> = .absent

    /// Records the properties that a service has reported.
    mutating func process(_ availability: Availability<[String: VariantValue]>, from service: Service) {
        switch service {
        case .current: current = availability.map(Self.profile)
        case .former: former = availability.map(Self.profile)
        // The portal may not know.
        case .portal: portal = availability.flatMap { Self.savesPower(in: $0).map { .value($0) } ?? .absent }
        }
    }

    /// Whether every service has replied or is known to be unavailable.
    var isComplete: Bool { current != .pending && former != .pending && portal != .pending }

    /// The resulting profile. A profile that is degraded by heat or by lap detection still counts as the chosen
    /// profile.
    var observed: ConditionsMerger.ObservedValue<PowerProfile> {
        for profile in [current.value, former.value] {
            if let profile, profile != .unknown {
                return .init(value: profile, source: .powerProfiles, confidence: .reported)
            }
        }
        switch portal.value {
        case true?: return .init(value: .powerSaver, source: .portal, confidence: .reported)
        // The portal does not distinguish the other two profiles.
        case false?: return .init(value: .balanced, source: .portal, confidence: .guessed)
        case nil: return .init(value: .unknown, source: .none, confidence: .assumed)
        }
    }

    /// Returns the profile among power-profiles-daemon's properties.
    static func profile(in properties: [String: VariantValue]) -> PowerProfile {
        guard case .string(let name)? = properties["ActiveProfile"] else { return .unknown }
        return PowerProfile(rawValue: name) ?? .unknown
    }

    /// Returns whether the portal's properties ask to save power; `nil` if the portal does not know.
    static func savesPower(in properties: [String: VariantValue]) -> Bool? {
        if case .bool(let isOn)? = properties["power-saver-enabled"] { isOn } else { nil }
    }
}
