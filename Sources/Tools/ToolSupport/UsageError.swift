// SPDX-License-Identifier: Apache-2.0

/// A command line or configuration that makes no sense: ends the program with status 2.
package struct UsageError: Error, CustomStringConvertible {
    /// What was wrong, where, and what would be right.
    package let description: String

    package init(_ description: String) { self.description = description }
}
