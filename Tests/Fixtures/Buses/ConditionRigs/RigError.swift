// SPDX-License-Identifier: Apache-2.0

/// What went wrong in a rig, in words.
package struct RigError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
