// SPDX-License-Identifier: Apache-2.0

/// The policies that can be chosen by name, written `NAME[:key=value]…`.
public enum PolicyCatalog {
    /// One number that a policy takes.
    public struct Parameter: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// What it means, with its unit.
        public var meaning: String
        /// Its value where none is given.
        public var defaultValue: Double
        /// What it may be; the upper end may be infinite, written `inf`.
        public var range: ClosedRange<Double>
    }

    /// One policy of the catalogue.
    public struct Entry: Sendable {
        /// Its name.
        public var name: String
        /// Its rule in one sentence.
        public var summary: String
        /// What it takes.
        public var parameters: [Parameter]
        /// Makes it from a value for each of its parameters.
        let make: @Sendable ([String: Double]) -> any Policy
    }

    /// All policies, in the order in which they are listed.
    public static let entries: [Entry] = [
        Entry(
            name: "default",
            summary: "on AC and unmetered; battery will do as a deadline comes near, metered never",
            parameters: [], make: { _ in DefaultPolicy() }),
        Entry(
            name: "immediate", summary: "any network, at once", parameters: [], make: { _ in ImmediatePolicy() }),
        Entry(
            name: "unmetered", summary: "any unmetered network", parameters: [], make: { _ in UnmeteredPolicy() }),
        Entry(name: "strict", summary: "AC and unmetered", parameters: [], make: { _ in StrictPolicy() }),
        Entry(
            name: "ladder",
            summary: "AC and unmetered; then battery, then metered will do as the deadline comes near",
            parameters: [
                Parameter(
                    key: "bat", meaning: "share of the time to the deadline after which battery will do",
                    defaultValue: 0.5, range: 0...Double.infinity),
                Parameter(
                    key: "cell", meaning: "share of the time to the deadline after which metered will do",
                    defaultValue: 0.75, range: 0...Double.infinity),
            ],
            make: { LadderPolicy(batteryShare: $0["bat"] ?? 0.5, meteredShare: $0["cell"] ?? 0.75) }),
    ]

    /// The policy that `text` names.
    ///
    /// - Throws: `PolicyNameError` that names the word that was wrong and what would be right.
    public static func policy(named text: String) throws(PolicyNameError) -> any Policy {
        let words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let entry = entries.first(where: { $0.name == words[0] }) else {
            throw .unknownPolicy(words[0], known: entries.map(\.name))
        }
        var values = Dictionary(uniqueKeysWithValues: entry.parameters.map { ($0.key, $0.defaultValue) })
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let parameter = entry.parameters.first(where: { $0.key == parts[0] }) else {
                throw .unknownParameter(word, policy: entry.name, known: entry.parameters.map(\.key))
            }
            guard let value = Double(parts[1]), parameter.range.contains(value) else {
                throw .badValue(parts[1], key: parameter.key, policy: entry.name, range: parameter.range)
            }
            values[parameter.key] = value
        }
        return entry.make(values)
    }
}

/// What is wrong with a policy's name or parameters.
public enum PolicyNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No policy is called that.
    case unknownPolicy(String, known: [String])
    /// The policy takes nothing of that name, or the word is not `key=value`.
    case unknownParameter(String, policy: String, known: [String])
    /// The value is no number, or not one the parameter may have.
    case badValue(String, key: String, policy: String, range: ClosedRange<Double>)

    /// One sentence: what was wrong, and what would be right.
    public var description: String {
        switch self {
        case .unknownPolicy(let name, let known):
            "there is no policy '\(name)'; there are \(known.joined(separator: ", "))"
        case .unknownParameter(let word, let policy, []):
            "the policy \(policy) takes no parameters, so '\(word)' means nothing"
        case .unknownParameter(let word, let policy, let known):
            "the policy \(policy) takes \(known.map { "\($0)=NUMBER" }.joined(separator: ", ")), not '\(word)'"
        case .badValue(let value, let key, let policy, let range):
            "\(key)=\(value) of the policy \(policy) must be a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}
