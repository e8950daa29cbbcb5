// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
internal import TransferModel

/// Writes a recording of observations and the resulting conditions, one line of JSON each.
///
/// Properties that identify the user or a machine and that the decoders do not need (serial numbers, subscribers,
/// locations) are never written. Used on the readers' thread only.
final class ConditionsRecorder: @unchecked Sendable {
    // Guard for `@unchecked`: used on the executor of its owner only.
    private let header: RecordingHeader
    private let write: @Sendable (String) -> Void
    private var pseudonyms: Pseudonyms?
    private var hasBegun = false
    /// The last published conditions of an anonymous recording.
    private var published: Conditions?

    init(_ configuration: LinuxConditionsConfiguration, write: @escaping @Sendable (String) -> Void) {
        header = RecordingHeader(configuration)
        pseudonyms = configuration.recordsAnonymously ? Pseudonyms() : nil
        self.write = write
    }

    /// Writes an observation.
    func record(_ observation: Observation, at now: ClockReading) {
        var observation = observation.keptForRecording
        pseudonyms?.replace(in: &observation)
        record(RecordedLine(observation, at: now))
    }

    /// Writes published conditions.
    func record(_ conditions: Conditions, at now: ClockReading) {
        var conditions = conditions
        if pseudonyms != nil {
            pseudonyms?.replace(in: &conditions)
            // A change of prices alone leaves nothing to record, and a replay publishes nothing.
            guard conditions != published else { return }
            published = conditions
        }
        record(RecordedLine(conditions, at: now))
    }

    private func record(_ line: RecordedLine) {
        if !hasBegun {
            hasBegun = true
            write(RecordingText.line(header))
        }
        let text = RecordingText.line(line)
        write(pseudonyms?.replacingAddresses(in: text) ?? text)
    }
}

/// Encodes and decodes the JSON lines of a recording.
enum RecordingText {
    /// Returns a line, without its line feed.
    static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Strings, numbers, and collections of them can always be encoded.
        let data = (try? encoder.encode(value)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    /// Decodes a line.
    static func decode<Value: Decodable>(_ type: Value.Type, from line: some Sequence<UInt8>) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(line))
    }
}

extension Observation {
    /// This observation without properties that no decoder reads and that identify the user: a modem's subscriber and
    /// location, a battery's serial number, name servers.
    fileprivate var keptForRecording: Observation {
        func kept(_ properties: [String: VariantValue], _ names: Set<String>) -> [String: VariantValue] {
            properties.filter { names.contains($0.key) }
        }
        switch self {
        case .networkManager(let availability):
            return .networkManager(
                availability.map { raw in
                    NetworkManagerProperties(
                        properties: kept(raw.properties, Self.managerNames), connectionID: raw.connectionID)
                })
        case .modemManager(let availability): return .modemManager(availability.map { $0.map(Self.keptObjects) })
        case .kernelEvent(let fields):
            return .kernelEvent(fields.filter { !$0.hasPrefix("POWER_SUPPLY_SERIAL_NUMBER=") })
        case .networkPortal, .powerProfile, .power, .path, .meteredDebounceEnded, .login, .leases, .overrides, .prices,
            .custom,
            .localTime,
            .firstSnapshotIsDue:
            return self
        }
    }

    private static let managerNames: Set = [
        "Metered", "Connectivity", "PrimaryConnection", "PrimaryConnectionType", "State", "Version",
        "NetworkingEnabled", "WirelessEnabled", "WwanEnabled",
    ]
    private static let modemNames: Set = [
        "Ports", "Manufacturer", "Model", "Drivers", "State", "AccessTechnologies", "RegistrationState",
        "EvdoRegistrationState", "Cdma1xRegistrationState",
    ]

    /// Returns the managed objects with only the kept properties. The dictionaries are keyed by object path, interface
    /// name, and property name.
    private static func keptObjects(_ value: VariantValue) -> VariantValue {
        guard case .dictionary(let objects) = value else { return value }
        return .dictionary(
            objects.mapValues { object in
                guard case .dictionary(let interfaces) = object else { return object }
                return .dictionary(
                    interfaces.compactMapValues { interface in
                        guard case .dictionary(let properties) = interface else { return nil }
                        let kept = properties.filter { modemNames.contains($0.key) }
                        return kept.isEmpty ? nil : .dictionary(kept)
                    })
            })
    }
}
