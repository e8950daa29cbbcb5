// SPDX-License-Identifier: Apache-2.0

/// The version of a program of this project: the number of a release, and the commit that the program was built from.
///
/// ```swift
/// print(SoftwareVersion(commit: "d91badb6a1b2"))    // 0.1.0 (d91badb6a1b2)
/// print(SoftwareVersion())                          // 0.1.0
/// ```
public struct SoftwareVersion: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number of this release. The programs, their manual pages, the bus, and the packages take the number from
    /// this line.
    public static let current = "0.1.0"

    /// The number of the release: three numbers, separated by dots.
    public var number: String
    /// The first twelve digits of the commit. `nil` for a build without Git, for example from a tarball.
    public var commit: String?

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - number: The number of the release.
    ///   - commit: The commit; `nil` if it is unknown.
    public init(number: String = current, commit: String? = nil) {
        self.number = number
        self.commit = commit
    }

    /// The number, followed by the commit in parentheses if the commit is known.
    public var description: String { commit.map { "\(number) (\($0))" } ?? number }

    /// Returns whether two programs may be of different builds: the numbers differ, or both commits are known and
    /// differ.
    ///
    /// - Parameter other: The version of the other program.
    public func differs(from other: SoftwareVersion) -> Bool {
        guard number == other.number else { return true }
        guard let commit, let theirs = other.commit else { return false }
        return commit != theirs
    }
}
