// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// What the services that know of power profiles say.
struct PowerProfileReading: Hashable, Sendable {
    /// Who is asked.
    enum Service: String, Hashable, Sendable, Codable, CaseIterable {
        /// power-profiles-daemon under its name of today.
        case current
        /// The same under its name until 2023.
        case former
        /// The desktop portal.
        case portal
    }

    /// power-profiles-daemon under its name of today.
    var current: Answer<PowerProfile> = .pending
    /// The same under its name until 2023.
    var former: Answer<PowerProfile> = .pending
    /// Whether the desktop portal says that power is to be saved; absent where nobody asks it.
    var portal: Answer<Bool> = .absent

    /// Takes one's properties.
    mutating func take(_ answer: Answer<[String: VariantValue]>, from service: Service) {
        switch service {
        case .current: current = answer.map(Self.profile)
        case .former: former = answer.map(Self.profile)
        // It may not know.
        case .portal: portal = answer.flatMap { Self.savesPower(in: $0).map { .value($0) } ?? .absent }
        }
    }

    /// Whether everybody has answered, or is known not to.
    var isComplete: Bool { current != .pending && former != .pending && portal != .pending }

    /// What it comes to. A profile that is degraded, by heat or on a lap, is still the one that was chosen.
    var finding: ConditionsMerger.Finding<PowerProfile> {
        for profile in [current.value, former.value] {
            if let profile, profile != .unknown {
                return .init(value: profile, source: .powerProfiles, sureness: .reported)
            }
        }
        switch portal.value {
        case true?: return .init(value: .powerSaver, source: .portal, sureness: .reported)
        // It does not tell the other two apart.
        case false?: return .init(value: .balanced, source: .portal, sureness: .guessed)
        case nil: return .init(value: .unknown, source: .none, sureness: .assumed)
        }
    }

    /// The profile among power-profiles-daemon's properties.
    static func profile(in properties: [String: VariantValue]) -> PowerProfile {
        guard case .string(let name)? = properties["ActiveProfile"] else { return .unknown }
        return PowerProfile(rawValue: name) ?? .unknown
    }

    /// Whether power is to be saved, among the portal's properties; nil where it does not know.
    static func savesPower(in properties: [String: VariantValue]) -> Bool? {
        if case .bool(let isOn)? = properties["power-saver-enabled"] { isOn } else { nil }
    }
}
