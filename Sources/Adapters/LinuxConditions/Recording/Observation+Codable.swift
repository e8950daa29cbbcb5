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
        case power
        case kernelEvent
        case path
        case networkManager
        case priceHasHeld
        case modemManager
        case networkPortal
        case powerProfile
        case login
        case leases
        case overrides
        case localTime
        case firstIsDue
    }

    private struct Power: Codable {
        var upower: Answer<UPowerProperties>
        var supplies: Answer<[PowerSupplyFiles]>
        var afterSettling: Bool?
    }

    private struct Path: Codable {
        var network: Answer<NetworkSnapshot>
        var afterSettling: Bool?
    }

    private struct Profile: Codable {
        var service: PowerProfileReading.Service
        var properties: Answer<[String: VariantValue]>
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
            self = .power(upower: power.upower, supplies: power.supplies, Look(power.afterSettling))
        case .kernelEvent: self = .kernelEvent(try value())
        case .path:
            let path = try value(Path.self)
            self = .path(path.network, Look(path.afterSettling))
        case .networkManager: self = .networkManager(try value())
        case .priceHasHeld: self = .priceHasHeld
        case .modemManager: self = .modemManager(try value())
        case .networkPortal: self = .networkPortal(try value())
        case .powerProfile:
            let profile = try value(Profile.self)
            self = .powerProfile(profile.service, profile.properties)
        case .login: self = .login(try value())
        case .leases: self = .leases(try value())
        case .overrides: self = .overrides(try value())
        case .localTime: self = .localTime(try value(RecordedLocalTime.self).rules)
        case .firstIsDue: self = .firstIsDue
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .power(let upower, let supplies, let look):
            let power = Power(upower: upower, supplies: supplies, afterSettling: look.afterSettling)
            try container.encode(power, forKey: .power)
        case .kernelEvent(let fields): try container.encode(fields, forKey: .kernelEvent)
        case .path(let network, let look):
            try container.encode(Path(network: network, afterSettling: look.afterSettling), forKey: .path)
        case .networkManager(let answer): try container.encode(answer, forKey: .networkManager)
        case .priceHasHeld: try container.encode(true, forKey: .priceHasHeld)
        case .modemManager(let answer): try container.encode(answer, forKey: .modemManager)
        case .networkPortal(let answer): try container.encode(answer, forKey: .networkPortal)
        case .powerProfile(let service, let answer):
            try container.encode(Profile(service: service, properties: answer), forKey: .powerProfile)
        case .login(let answer): try container.encode(answer, forKey: .login)
        case .leases(let files): try container.encode(files, forKey: .leases)
        case .overrides(let content): try container.encode(content, forKey: .overrides)
        case .localTime(let rules): try container.encode(RecordedLocalTime(rules), forKey: .localTime)
        case .firstIsDue: try container.encode(true, forKey: .firstIsDue)
        }
    }
}

extension Observation.Look {
    fileprivate init(_ afterSettling: Bool?) { self = afterSettling == true ? .afterSettling : .first }

    fileprivate var afterSettling: Bool? { self == .afterSettling ? true : nil }
}
