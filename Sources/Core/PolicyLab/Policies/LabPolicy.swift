// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// A policy, or the optimum, as a row of the lab's table.
///
/// ```swift
/// let policy = try LabPolicy("lookahead:h=6")
/// let rule = policy.policy(on: trace, settings: ReplaySettings())
/// ```
public struct LabPolicy: Sendable {
    /// The name as the user gave it.
    public let name: String
    /// A Boolean value that indicates whether this is the optimum, which is computed rather than replayed.
    public let isOptimum: Bool

    /// The name of the optimum.
    public static let optimum = "oracle"

    /// The policies that can be replayed: the policies of the daemon, and the policies that need recorded days.
    public static var entries: [PolicyCatalog.Entry] { entries(on: nil, ReplaySettings()) }

    private static func entries(on trace: Trace?, _ settings: ReplaySettings) -> [PolicyCatalog.Entry] {
        PolicyCatalog.entries + [LookaheadPolicy.entry(trace, settings)]
    }

    /// Creates the policy that `text` names, in the form `NAME[:key=value]…`.
    ///
    /// - Throws: A `PolicyNameError` if the policy or a parameter is unknown, or a parameter is repeated or out of
    ///   range.
    public init(_ text: String) throws(PolicyNameError) {
        name = text
        isOptimum = text == Self.optimum
        guard !isOptimum else { return }
        do {
            _ = try PolicyCatalog.policy(named: text, among: Self.entries)
        } catch {
            guard case .unknownPolicy(let word, let known) = error else { throw error }
            throw .unknownPolicy(word, known: known + [Self.optimum])
        }
    }

    /// Returns the policy for a device's days; `nil` for the optimum. Only policies that look ahead use the trace.
    public func policy(on trace: Trace, settings: ReplaySettings) -> (any Policy)? {
        guard !isOptimum else { return nil }
        // The initializer has already validated the name.
        return try? PolicyCatalog.policy(named: name, among: Self.entries(on: trace, settings))
    }

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
