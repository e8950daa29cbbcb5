// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The encoded form is a JSON object with one key, the name of the reader that made the observation.
///
/// This form is the format of recordings: the keys are never renamed.
extension Observation: Codable {
    /// An error for an object with no known observation, or with more than one.
    struct AmbiguousError: Error {}

    private enum CodingKeys: String, CodingKey {
        case power = "power"
        case kernelEvent = "kernelEvent"
        case path = "path"
        case networkManager = "networkManager"
        case meteredDebounceEnded = "priceHasHeld"
        case modemManager = "modemManager"
        case networkPortal = "networkPortal"
        case powerProfile = "powerProfile"
        case login = "login"
        case leases = "leases"
        case overrides = "overrides"
        case prices = "prices"
        case custom = "custom"
        case localTime = "localTime"
        case firstSnapshotIsDue = "firstIsDue"
    }

    private struct Power: Codable {
        private enum CodingKeys: String, CodingKey {
            case upower
            case supplies
            case afterDebounce = "afterSettling"
        }

        var upower: Availability<UPowerProperties>
        var supplies: Availability<[PowerSupplyFiles]>
        var afterDebounce: Bool?
    }

    private struct Path: Codable {
        private enum CodingKeys: String, CodingKey {
            case network
            case afterDebounce = "afterSettling"
        }

        var network: Availability<NetworkSnapshot>
        var afterDebounce: Bool?
    }

    private struct Profile: Codable {
        var service: PowerProfileReading.Service
        var properties: Availability<[String: VariantValue]>
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else { throw AmbiguousError() }
        func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try container.decode(type, forKey: key)
        }
        switch key {
        case .power:
            let power = try value(Power.self)
            self = .power(upower: power.upower, supplies: power.supplies, ReadTiming(power.afterDebounce))
        case .kernelEvent: self = .kernelEvent(try value())
        case .path:
            let path = try value(Path.self)
            self = .path(path.network, ReadTiming(path.afterDebounce))
        case .networkManager: self = .networkManager(try value())
        case .meteredDebounceEnded: self = .meteredDebounceEnded
        case .modemManager: self = .modemManager(try value())
        case .networkPortal: self = .networkPortal(try value())
        case .powerProfile:
            let profile = try value(Profile.self)
            self = .powerProfile(profile.service, profile.properties)
        case .login: self = .login(try value())
        case .leases: self = .leases(try value())
        case .overrides: self = .overrides(try value())
        case .prices: self = .prices(try value(SourceContent?.self))
        case .custom: self = .custom(try value())
        case .localTime: self = .localTime(try value(RecordedLocalTime.self).rules)
        case .firstSnapshotIsDue: self = .firstSnapshotIsDue
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .power(let upower, let supplies, let timing):
            let power = Power(upower: upower, supplies: supplies, afterDebounce: timing.afterDebounce)
            try container.encode(power, forKey: .power)
        case .kernelEvent(let fields): try container.encode(fields, forKey: .kernelEvent)
        case .path(let network, let timing):
            try container.encode(Path(network: network, afterDebounce: timing.afterDebounce), forKey: .path)
        case .networkManager(let availability): try container.encode(availability, forKey: .networkManager)
        case .meteredDebounceEnded: try container.encode(true, forKey: .meteredDebounceEnded)
        case .modemManager(let availability): try container.encode(availability, forKey: .modemManager)
        case .networkPortal(let availability): try container.encode(availability, forKey: .networkPortal)
        case .powerProfile(let service, let availability):
            try container.encode(Profile(service: service, properties: availability), forKey: .powerProfile)
        case .login(let availability): try container.encode(availability, forKey: .login)
        case .leases(let files): try container.encode(files, forKey: .leases)
        case .overrides(let content): try container.encode(content, forKey: .overrides)
        case .prices(let content): try container.encode(content, forKey: .prices)
        case .custom(let reading): try container.encode(reading, forKey: .custom)
        case .localTime(let rules): try container.encode(RecordedLocalTime(rules), forKey: .localTime)
        case .firstSnapshotIsDue: try container.encode(true, forKey: .firstSnapshotIsDue)
        }
    }
}

extension Observation.ReadTiming {
    fileprivate init(_ afterDebounce: Bool?) { self = afterDebounce == true ? .afterDebounce : .first }

    fileprivate var afterDebounce: Bool? { self == .afterDebounce ? true : nil }
}
