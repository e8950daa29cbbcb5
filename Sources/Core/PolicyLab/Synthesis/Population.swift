// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A number of synthetic devices, each of which can be made alone, at any time, and is always the same.
///
/// ```swift
/// let population = Population(model, name: "renewal", devices: 1_000_000, days: 30, start: start, seed: 7)
/// if let trace = population?.trace(of: 17) { print(trace.device) }  // renewal-000017
/// ```
public struct Population: Hashable, Sendable {
    /// The maximum number of devices.
    public static let maximumDevices = 10_000_000

    /// The number of devices.
    public let devices: Int
    private let model: RenewalModel
    private let days: Double
    private let start: WallTime
    private let seed: UInt64
    /// The beginning of all names.
    private let prefix: [UInt8]
    private let width: Int

    /// Creates a population. Returns `nil` unless `devices` is from 1 to ``maximumDevices``, and `days` is above 0
    /// and at most 40,000.
    ///
    /// - Parameters:
    ///   - model: The model of all devices.
    ///   - name: The beginning of the devices' names, before a hyphen and the number.
    ///   - devices: The number of devices.
    ///   - days: The length of each trace, in days.
    ///   - start: The start of the first day.
    ///   - seed: The seed of the first device. Each further device uses the next number.
    public init?(_ model: RenewalModel, name: String, devices: Int, days: Double, start: WallTime, seed: UInt64) {
        guard (1...Self.maximumDevices).contains(devices), days > 0, days <= 40_000 else { return nil }
        (self.model, self.devices, self.days, self.start, self.seed) = (model, devices, days, start, seed)
        prefix = Array("\(name)-".utf8)
        width = String(devices - 1).count
    }

    /// Returns the name of a device, from its number: 0 for the first.
    public func name(of number: Int) -> String { String(decoding: nameBytes(of: number), as: UTF8.self) }

    /// Returns the hash of a device's name.
    package func hash(of number: Int) -> StableHash { StableHash(nameBytes(of: number)) }

    private func nameBytes(of number: Int) -> [UInt8] {
        var bytes = prefix + repeatElement(UInt8(ascii: "0"), count: width)
        var rest = number
        for index in stride(from: bytes.count - 1, through: prefix.count, by: -1) where rest > 0 {
            bytes[index] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return bytes
    }

    /// Returns the number of the device with a name; `nil` if there is none. Accepts the number itself, too.
    public func number(of name: String) -> Int? {
        let bytes = Array(name.utf8)
        let digits = bytes.starts(with: prefix) ? bytes[prefix.count...] : bytes[...]
        guard let number = Int(String(decoding: digits, as: UTF8.self)), (0..<devices).contains(number) else {
            return nil
        }
        return number
    }

    /// Returns the days of a device.
    public func trace(of number: Int) -> Trace? {
        model.trace(device: name(of: number), days: days, start: start, seed: seed &+ UInt64(number))
    }
}
