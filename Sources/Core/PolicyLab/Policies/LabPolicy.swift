// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// Something that can stand in a line of the lab's table.
public struct LabPolicy: Sendable {
    /// As it was asked for.
    public let name: String
    /// Whether it is the optimum, which is computed and not replayed.
    public let isOptimum: Bool

    /// The optimum's name.
    public static let optimum = "oracle"

    /// The policies that can be replayed: those of the daemon, and those that only a lab can have.
    public static var entries: [PolicyCatalog.Entry] { entries(on: nil, ReplaySettings()) }

    private static func entries(on trace: Trace?, _ settings: ReplaySettings) -> [PolicyCatalog.Entry] {
        PolicyCatalog.entries + [LookaheadPolicy.entry(trace, settings)]
    }

    /// The policy that `text` names, written `NAME[:key=value]…`.
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

    /// The rule for a device's days; nil for the optimum. Only those that see ahead look at the trace.
    public func policy(on trace: Trace, settings: ReplaySettings) -> (any Policy)? {
        guard !isOptimum else { return nil }
        // The name was found right when this was made.
        return try? PolicyCatalog.policy(named: name, among: Self.entries(on: trace, settings))
    }

    /// The policies that a list names, separated by commas.
    public static func list(_ text: String) throws(PolicyNameError) -> [LabPolicy] {
        var policies: [LabPolicy] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            policies.append(try LabPolicy(String(word)))
        }
        return policies
    }
}
