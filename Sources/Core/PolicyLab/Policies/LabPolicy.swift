// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// Something that can stand in a line of the lab's table.
public struct LabPolicy: Sendable {
    /// As it was asked for.
    public let name: String
    /// The rule; nil for the optimum, which is computed and not replayed.
    public let policy: (any Policy)?

    /// The optimum's name.
    public static let optimum = "oracle"

    /// The policies that can be replayed.
    public static let entries: [PolicyCatalog.Entry] = PolicyCatalog.entries

    /// The policy that `text` names, written `NAME[:key=value]…`.
    public init(_ text: String) throws(PolicyNameError) {
        name = text
        if text == Self.optimum {
            policy = nil
            return
        }
        do {
            policy = try PolicyCatalog.policy(named: text, among: Self.entries)
        } catch {
            guard case .unknownPolicy(let word, let known) = error else { throw error }
            throw .unknownPolicy(word, known: known + [Self.optimum])
        }
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
