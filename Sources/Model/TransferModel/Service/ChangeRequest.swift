// SPDX-License-Identifier: Apache-2.0

/// A change of a transfer's requirements. Properties that are `nil` stay unchanged.
package struct ChangeRequest: Hashable, Sendable, Codable {
    /// The new kind of work.
    package var kind: WorkKind?
    /// The new priority, 0…1000. Higher values run first.
    package var priority: Int?
    /// The constraints that change.
    package var constraints = ConstraintChange()

    /// Creates a request that changes nothing.
    package init() {}
}
