// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An hour that is being observed: how much of it was seen, and how much of that was good for transfers.
struct ObservedHour: Hashable, Sendable, Codable {
    /// Nanoseconds of an hour.
    static let length: Int64 = 3_600_000_000_000

    /// The hour's number, as whoever observes counts hours.
    private(set) var hour: Int64
    private var observed: Int64 = 0
    private var good: Int64 = 0

    private init(hour: Int64) { self.hour = hour }

    /// The part of the observed time that was good, 0 to 1: what a store hands back may hold anything.
    var share: Double { min(1, max(0, Double(good) / Double(observed))) }

    /// Adds time to the hour that is observed, or begins with another one.
    ///
    /// - Returns: the hour that is over by that, where at least half of it was observed; else it says nothing.
    static func note(
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
