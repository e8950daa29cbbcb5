// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The first line of a recording.
struct RecordingHeader: Codable {
    /// How long things have to hold, in milliseconds.
    struct Settling: Codable {
        var power: UInt32
        var path: UInt32
        var metered: UInt32
    }

    static let formatName = "background-transfer/conditions"
    /// Higher where older programs could not understand what is written.
    static let currentVersion = 1

    var format = formatName
    var version = currentVersion
    var settling: Settling
    var localTime: RecordedLocalTime
    /// Whether names and addresses were replaced.
    var anonymous: Bool?

    init(_ configuration: LinuxConditionsConfiguration) {
        settling = Settling(
            power: configuration.powerSettling.timerMilliseconds, path: configuration.pathSettling.timerMilliseconds,
            metered: configuration.meteredSettling.timerMilliseconds)
        localTime = RecordedLocalTime(configuration.localTime)
        anonymous = configuration.recordsAnonymously ? true : nil
    }
}

/// A time zone's rules: the offset in seconds east of UTC, and the changes, each the second since 1970 at which it begins
/// to hold and the offset from then on.
struct RecordedLocalTime: Codable, Hashable {
    var offset: Int64
    var changes: [[Int64]]

    init(_ rules: LocalTimeRules) {
        offset = rules.initialOffsetSeconds
        changes = rules.changes.map { [$0.start.secondsSinceEpoch, $0.offsetSeconds] }
    }

    /// The rules; changes that are no pairs are left out.
    var rules: LocalTimeRules {
        LocalTimeRules(
            initialOffsetSeconds: offset,
            changes: changes.filter { $0.count == 2 }.map {
                .init(start: WallTime(secondsSinceEpoch: $0[0]), offsetSeconds: $0[1])
            })
    }
}
