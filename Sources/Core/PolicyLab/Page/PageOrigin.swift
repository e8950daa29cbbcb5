// SPDX-License-Identifier: Apache-2.0

/// The program and the inputs that a page was made from, so that its reader can repeat the study.
///
/// ```swift
/// let origin = PageOrigin(
///     program: "transferlab 0.1.0", command: "transferlab run a.csv --workload jobs.csv",
///     inputs: [.init(name: "a.csv", checksum: 0x1f2e)])
/// ```
public struct PageOrigin: Hashable, Sendable {
    /// A file, or a group of files.
    public struct Input: Hashable, Sendable {
        /// The name of the file as the user gave it.
        public var name: String
        /// A hash of the content (64-bit FNV-1a); `nil` if there is no file.
        public var checksum: UInt64?

        /// Creates an input.
        public init(name: String, checksum: UInt64?) {
            self.name = name
            self.checksum = checksum
        }
    }

    /// The name and version of the program.
    public var program: String
    /// A command line that repeats the study.
    public var command: String
    /// The input files.
    public var inputs: [Input]

    /// Creates an origin.
    public init(program: String, command: String, inputs: [Input]) {
        self.program = program
        self.command = command
        self.inputs = inputs
    }
}
