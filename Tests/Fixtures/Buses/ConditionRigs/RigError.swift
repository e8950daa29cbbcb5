// SPDX-License-Identifier: Apache-2.0

/// A readable description of a fixture's failure.
package struct RigError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
