// SPDX-License-Identifier: Apache-2.0

/// A readable description of a fixture's failure.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
