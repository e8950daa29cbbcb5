// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// A policy, or the optimum, as a row of the lab's table.
///
/// ```swift
/// let rule = try LabPolicy("ladder:bat=0.25").policy
/// ```
public struct LabPolicy: Sendable {
    /// The name as the user gave it.
    public let name: String
    /// The policy; `nil` for the optimum, which is computed rather than replayed.
    public let policy: (any Policy)?

    /// The name of the optimum.
    public static let optimum = "oracle"

    /// Creates the policy that `text` names, in the form `NAME[:key=value]…`.
    ///
    /// - Throws: A `PolicyNameError` if the policy or a parameter is unknown, or a parameter is repeated or out of
    ///   range.
    public init(_ text: String) throws(PolicyNameError) {
        name = text
        do {
            policy = text == Self.optimum ? nil : try PolicyCatalog.policy(named: text)
        } catch {
            guard case .unknownPolicy(let word, let known) = error else { throw error }
            throw .unknownPolicy(word, known: known + [Self.optimum])
        }
    }

    /// A Boolean value that indicates whether this is the optimum.
    public var isOptimum: Bool { policy == nil }

    /// Returns the policies in a comma-separated list.
    ///
    /// - Throws: A `PolicyNameError` for the first name that is not a policy.
    public static func list(_ text: String) throws(PolicyNameError) -> [LabPolicy] {
        var policies: [LabPolicy] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            policies.append(try LabPolicy(String(word)))
        }
        return policies
    }
}
