// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A line of a recording after the header: both clocks, and either an observation or the resulting conditions.
struct RecordedLine: Codable {
    private enum CodingKeys: String, CodingKey {
        /// Nanoseconds on the boot-time clock.
        case boot
        /// Nanoseconds since 1970 on the wall clock.
        case wall
        case published
    }

    /// The time of the observation or of the publication.
    let time: ClockReading
    /// The observation; `nil` if the line contains published conditions.
    let observation: Observation?
    /// The published conditions; `nil` if the line contains an observation.
    let published: RecordedConditions?

    init(_ conditions: Conditions, at now: ClockReading) {
        (time, observation, published) = (now, nil, RecordedConditions(conditions))
    }

    init(_ observation: Observation, at now: ClockReading) {
        (time, self.observation, published) = (now, observation, nil)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = ClockReading(
            instant: Instant(nanoseconds: try container.decode(Int64.self, forKey: .boot)),
            wall: WallTime(nanosecondsSinceEpoch: try container.decode(Int64.self, forKey: .wall)))
        published = try container.decodeIfPresent(RecordedConditions.self, forKey: .published)
        observation = published == nil ? try Observation(from: decoder) : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.instant.nanoseconds, forKey: .boot)
        try container.encode(time.wall.nanosecondsSinceEpoch, forKey: .wall)
        try container.encodeIfPresent(published, forKey: .published)
        // The key of the observation is in the same object as the clocks.
        try observation?.encode(to: encoder)
    }
}

/// An error in a recording, or a difference between the replay and the recording.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the recording.
    public var file: String
    /// The number of the line, starting at 1.
    public var line: Int
    /// The problem, and the expected content.
    public var problem: String

    /// The file, the line, and the problem, in one sentence.
    public var description: String { "\(file):\(line): \(problem)" }
}
