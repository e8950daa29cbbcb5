// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The announcements of the login manager.
struct SleepReading: Hashable, Sendable, Codable {
    /// Whether the machine is about to sleep, or is asleep.
    var isForSleep = false
    /// Whether the machine is about to shut down or restart.
    var isForShutdown = false

    /// The resulting sleep state. Shutdown takes precedence over sleep.
    var state: SleepState { isForShutdown ? .aboutToShutDown : isForSleep ? .aboutToSleep : .awake }

    /// Decodes the properties that state the current announcements.
    init(properties: [String: VariantValue]) {
        isForSleep = properties["PreparingForSleep"] == .bool(true)
        isForShutdown = properties["PreparingForShutdown"] == .bool(true)
    }

    init() {}
}

extension Readings {
    /// The sleep state. Assumed to be awake if no login manager reports otherwise.
    var observedSleep: ConditionsMerger.ObservedValue<SleepState> {
        guard let reading = sleep.value else { return .init(value: .awake, source: .none, confidence: .assumed) }
        return .init(value: reading.state, source: .logind, confidence: .reported)
    }
}
