// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The first line of a recording.
struct RecordingHeader: Codable {
    private enum CodingKeys: String, CodingKey {
        case format = "format"
        case version = "version"
        case debounceTimes = "settling"
        case localTime = "localTime"
        case anonymous = "anonymous"
    }

    /// The debounce times, in milliseconds.
    struct DebounceTimes: Codable {
        var power: UInt32
        var path: UInt32
        var metered: UInt32
    }

    static let formatName = "background-transfer/conditions"
    /// The version of the format. Increased when older programs could not read a new recording.
    static let currentVersion = 1

    var format = formatName
    var version = currentVersion
    var debounceTimes: DebounceTimes
    var localTime: RecordedLocalTime
    /// Whether names and addresses were replaced with pseudonyms.
    var anonymous: Bool?

    init(_ configuration: LinuxConditionsConfiguration) {
        debounceTimes = DebounceTimes(
            power: configuration.powerDebounce.timerMilliseconds, path: configuration.pathDebounce.timerMilliseconds,
            metered: configuration.meteredDebounce.timerMilliseconds)
        localTime = RecordedLocalTime(configuration.localTime)
        anonymous = configuration.recordsAnonymously ? true : nil
    }
}

/// The rules of a time zone: the initial offset in seconds east of UTC, and the changes. Each change is a pair of its
/// start, in seconds since 1970, and the offset from then on.
struct RecordedLocalTime: Codable, Hashable {
    var offset: Int64
    var changes: [[Int64]]

    init(_ rules: LocalTimeRules) {
        offset = rules.initialOffsetSeconds
        changes = rules.changes.map { [$0.start.secondsSinceEpoch, $0.offsetSeconds] }
    }

    /// The decoded rules. Changes that are not pairs are skipped.
    var rules: LocalTimeRules {
        LocalTimeRules(
            initialOffsetSeconds: offset,
            changes: changes.filter { $0.count == 2 }.map {
                .init(start: WallTime(secondsSinceEpoch: $0[0]), offsetSeconds: $0[1])
            })
    }
}
