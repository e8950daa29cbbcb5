// SPDX-License-Identifier: Apache-2.0

/// The policies that can be chosen by name, written `NAME[:key=value]…`.
public enum PolicyCatalog {
    /// One number that a policy takes.
    public struct Parameter: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// What it means.
        public var meaning: String
        /// Its unit; empty for a bare number.
        public var unit: String
        /// Its value where none is given.
        public var defaultValue: Double
        /// What it may be; the upper end may be infinite, written `inf`.
        public var range: ClosedRange<Double>
        /// Whether it must be a whole number.
        public var isWhole: Bool

        /// A parameter.
        public init(
            _ key: String, _ meaning: String, unit: String = "", default defaultValue: Double,
            in range: ClosedRange<Double>, isWhole: Bool = false
        ) {
            self.key = key
            self.meaning = meaning
            self.unit = unit
            self.defaultValue = defaultValue
            self.range = range
            self.isWhole = isWhole
        }

        /// Whether the parameter may have `value`; NaN lies in no range.
        func allows(_ value: Double) -> Bool { range.contains(value) && (!isWhole || Int64(exactly: value) != nil) }

        /// The unit as it follows a number.
        var unitText: String { unit.isEmpty ? "" : " \(unit)" }
    }

    /// A value for each of a policy's parameters.
    public struct Values: Hashable, Sendable {
        private var values: [String: Double]

        init(defaultsOf parameters: [Parameter]) {
            values = Dictionary(parameters.map { ($0.key, $0.defaultValue) }) { first, _ in first }
        }

        /// The value of a parameter; 0 for one that the policy does not take.
        public internal(set) subscript(key: String) -> Double {
            get { values[key] ?? 0 }
            set { values[key] = newValue }
        }
    }

    /// One policy of the catalogue.
    public struct Entry: Sendable {
        /// Its name.
        public var name: String
        /// Its rule in one sentence.
        public var summary: String
        /// What it takes.
        public var parameters: [Parameter]
        /// Makes it from a value for each of its parameters, each of them in its range.
        let make: @Sendable (Values) -> any Policy

        /// A policy for the catalogue.
        public init(
            name: String, summary: String, parameters: [Parameter] = [],
            make: @escaping @Sendable (Values) -> any Policy
        ) {
            self.name = name
            self.summary = summary
            self.parameters = parameters
            self.make = make
        }
    }

    /// All policies, in the order in which they are listed.
    public static let entries: [Entry] = [
        DefaultPolicy.entry, ImmediatePolicy.entry, UnmeteredPolicy.entry, StrictPolicy.entry, LadderPolicy.entry,
        LatestStartPolicy.entry, WifflerPolicy.entry, BacklogPolicy.entry, ScorePolicy.entry, TwoThresholdPolicy.entry,
        BatchPolicy.entry, WindowPolicy.entry, QuotaPolicy.entry, BudgetPolicy.entry, HabitPolicy.entry,
        AndroidPolicy.entry, BitsPolicy.entry, MogwaiPolicy.entry, ApplePolicy.entry,
    ]

    /// The policy that `text` names.
    ///
    /// - Parameter entries: the policies to choose from; a program may add its own.
    /// - Throws: `PolicyNameError` that names the word that was wrong and what would be right.
    public static func policy(
        named text: String, among entries: [Entry] = PolicyCatalog.entries
    ) throws(PolicyNameError) -> any Policy {
        let words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let entry = entries.first(where: { $0.name == words[0] }) else {
            throw .unknownPolicy(words[0], known: entries.map(\.name))
        }
        var values = Values(defaultsOf: entry.parameters)
        var seen: Set<String> = []
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let parameter = entry.parameters.first(where: { $0.key == parts[0] }) else {
                throw .unknownParameter(word, policy: entry.name, known: entry.parameters.map(\.key))
            }
            guard seen.insert(parameter.key).inserted else {
                throw .repeatedParameter(parameter.key, policy: entry.name)
            }
            guard let value = Double(parts[1]), parameter.allows(value) else {
                throw .badValue(parts[1], of: parameter, policy: entry.name)
            }
            values[parameter.key] = value
        }
        return entry.make(values)
    }

    /// All policies with their rules, parameters, units, ranges and defaults, for people; a line each.
    public static func text(of entries: [Entry] = PolicyCatalog.entries) -> String {
        entries.flatMap { entry in
            ["\(entry.name): \(entry.summary)"]
                + entry.parameters.map {
                    "    \($0.key)=\(text($0.defaultValue)): \($0.meaning) "
                        + "(\(text($0.range))\($0.unitText)\($0.isWhole ? ", whole" : ""))"
                }
        }.joined(separator: "\n")
    }

    /// A number as it is written, whole ones without a fraction.
    static func text(_ value: Double) -> String {
        guard let whole = Int64(exactly: value) else { return "\(value)" }
        return String(whole)
    }

    static func text(_ range: ClosedRange<Double>) -> String { "\(text(range.lowerBound))…\(text(range.upperBound))" }
}

/// What is wrong with a policy's name or parameters.
public enum PolicyNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No policy is called that.
    case unknownPolicy(String, known: [String])
    /// The policy takes nothing of that name, or the word is not `key=value`.
    case unknownParameter(String, policy: String, known: [String])
    /// A parameter is given twice.
    case repeatedParameter(String, policy: String)
    /// The value is no number, or not one the parameter may have.
    case badValue(String, of: PolicyCatalog.Parameter, policy: String)

    /// One sentence: what was wrong, and what would be right.
    public var description: String {
        switch self {
        case .unknownPolicy(let name, let known):
            "there is no policy '\(name)'; there are \(known.joined(separator: ", "))"
        case .unknownParameter(let word, let policy, []):
            "the policy \(policy) takes no parameters, so '\(word)' means nothing"
        case .unknownParameter(let word, let policy, let known):
            "the policy \(policy) takes \(known.map { "\($0)=NUMBER" }.joined(separator: ", ")), not '\(word)'"
        case .repeatedParameter(let key, let policy):
            "\(key) of the policy \(policy) is given twice"
        case .badValue(let value, let parameter, let policy):
            "\(parameter.key)=\(value) of the policy \(policy) must be a \(parameter.isWhole ? "whole " : "")number "
                + "from \(PolicyCatalog.text(parameter.range.lowerBound)) "
                + "to \(PolicyCatalog.text(parameter.range.upperBound))\(parameter.unitText)"
        }
    }
}
