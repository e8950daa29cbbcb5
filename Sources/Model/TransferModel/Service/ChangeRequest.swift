// SPDX-License-Identifier: Apache-2.0

/// A change of what a transfer asks for; what is nil stays as it is.
package struct ChangeRequest: Hashable, Sendable, Codable {
    /// How urgent it is.
    package var kind: WorkKind?
    /// 0…1000, higher first.
    package var priority: Int?
    /// The constraints that change.
    package var constraints = ConstraintChange()

    /// No change.
    package init() {}
}
