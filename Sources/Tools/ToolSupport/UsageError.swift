// SPDX-License-Identifier: Apache-2.0

/// An error in the command line or the configuration. It ends the program with status 2.
package struct UsageError: Error, CustomStringConvertible {
    /// A description of the error, its location, and its remedy.
    package let description: String

    package init(_ description: String) { self.description = description }
}
