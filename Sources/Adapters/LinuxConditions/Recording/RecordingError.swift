// SPDX-License-Identifier: Apache-2.0

/// Why a recording cannot be replayed, or what came out differently.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The recording's name.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// What is wrong there, and what was expected.
    public var problem: String

    /// One sentence.
    public var description: String { "\(file):\(line): \(problem)" }
}
