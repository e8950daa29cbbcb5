// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The observed time of one hour, and the part of it that was good for transfers.
struct ObservedHour: Hashable, Sendable, Codable {
    /// The length of an hour, in nanoseconds.
    static let length: Int64 = 3_600_000_000_000

    /// The number of the hour. Each history numbers hours in its own way.
    private(set) var hour: Int64
    private var observed: Int64 = 0
    private var good: Int64 = 0

    private init(hour: Int64) { self.hour = hour }

    /// The good part of the observed time, 0…1. The value is clamped because stored data can contain anything.
    var share: Double { min(1, max(0, Double(good) / Double(observed))) }

    /// Adds time to the current hour, or begins a new hour.
    ///
    /// - Returns: The hour that ended, if at least half of it was observed; otherwise `nil`, because too little is
    ///   known.
    static func record(
        _ nanoseconds: Int64, isGood: Bool, hour: Int64, in current: inout ObservedHour?
    ) -> ObservedHour? {
        let former = current.flatMap { $0.hour == hour ? nil : $0 }
        var now = former == nil ? current ?? ObservedHour(hour: hour) : ObservedHour(hour: hour)
        now.observed = now.observed.addingSaturating(nanoseconds)
        if isGood { now.good = now.good.addingSaturating(nanoseconds) }
        current = now
        return former.flatMap { $0.observed >= length / 2 ? $0 : nil }
    }
}
