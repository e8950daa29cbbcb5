// SPDX-License-Identifier: Apache-2.0

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
