// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// What the login manager has announced.
struct SleepReading: Hashable, Sendable, Codable {
    /// Whether it is about to put the machine to sleep, or has.
    var isForSleep = false
    /// Whether it is about to switch the machine off, or to start it anew.
    var isForShutdown = false

    /// What it comes to.
    var state: SleepState { isForShutdown ? .aboutToShutDown : isForSleep ? .aboutToSleep : .awake }

    /// What is announced when one begins to listen.
    init(properties: [String: VariantValue]) {
        isForSleep = properties["PreparingForSleep"] == .bool(true)
        isForShutdown = properties["PreparingForShutdown"] == .bool(true)
    }

    init() {}
}

extension Readings {
    /// Whether the machine stays awake, as far as anybody announces it.
    var sleepFinding: ConditionsMerger.Finding<SleepState> {
        guard let reading = sleep.value else { return .init(value: .awake, source: .none, sureness: .assumed) }
        return .init(value: reading.state, source: .logind, sureness: .reported)
    }
}
