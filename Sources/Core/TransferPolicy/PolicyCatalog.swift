// SPDX-License-Identifier: Apache-2.0

/// The policies that users can select by name, in the form `NAME[:key=value]…`.
///
/// ```swift
/// let policy = try PolicyCatalog.policy(named: "immediate")
/// ```
public enum PolicyCatalog {
    /// A numeric parameter of a policy.
    ///
    /// ```swift
    /// let margin = PolicyCatalog.Parameter("margin", "hours before the deadline", unit: "h", default: 9, in: 0...24)
    /// ```
    public struct Parameter: Hashable, Sendable {
        /// The key before the equals sign.
        public var key: String
        /// A description for help texts.
        public var meaning: String
        /// The unit, or an empty string for a plain number.
        public var unit: String
        /// The value that applies if the user gives none.
        public var defaultValue: Double
        /// The permitted values. The upper bound may be infinite, written `inf`.
        public var range: ClosedRange<Double>
        /// A Boolean value that indicates whether the value must be a whole number.
        public var isWhole: Bool

        /// Creates a parameter. By default, the parameter has no unit and accepts fractions.
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

        /// Returns whether `value` is permitted. NaN lies in no range.
        func allows(_ value: Double) -> Bool { range.contains(value) && (!isWhole || Int64(exactly: value) != nil) }

        /// The unit with a leading space, as printed after a number.
        var unitText: String { unit.isEmpty ? "" : " \(unit)" }
    }

    /// The values of all of a policy's parameters.
    public struct Values: Hashable, Sendable {
        private var values: [String: Double]

        init(defaultsOf parameters: [Parameter]) {
            values = Dictionary(parameters.map { ($0.key, $0.defaultValue) }) { first, _ in first }
        }

        /// The value of the parameter `key`, or 0 if the policy has no such parameter.
        public internal(set) subscript(key: String) -> Double {
            get { values[key] ?? 0 }
            set { values[key] = newValue }
        }
    }

    /// A policy in the catalog.
    ///
    /// ```swift
    /// let entry = PolicyCatalog.Entry(name: "strict", summary: "AC power and unmetered") { _ in StrictPolicy() }
    /// ```
    public struct Entry: Sendable {
        /// The name that selects the policy.
        public var name: String
        /// The policy's rule in one sentence.
        public var summary: String
        /// The policy's parameters, in the order of the help text.
        public var parameters: [Parameter]
        /// Creates the policy from one value per parameter. Every value is within its range.
        let make: @Sendable (Values) -> any Policy

        /// Creates a catalog entry.
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

    /// All policies, in the order in which help texts list them.
    public static let entries: [Entry] =
        PatiencePolicy.entries + [
            HorizonPolicy.entry, ImmediatePolicy.entry, UnmeteredPolicy.entry, StrictPolicy.entry,
            LadderPolicy.entry,
        ] + PricePolicy.entries

    /// The names of policies that earlier versions had.
    static let formerNames: Set<String> = [
        "latest-start", "wiffler", "backlog", "score", "two-threshold", "batch", "window", "quota", "budget", "habit",
        "android", "bits", "mogwai", "apple", "lookahead", "hours",
    ]

    /// Returns the policy that `text` selects.
    ///
    /// - Parameters:
    ///   - text: A name with parameters, such as `strict` or `ladder:bat=0.25`.
    ///   - entries: The policies to choose from. A program can pass its own policies.
    /// - Throws: `PolicyNameError` with the rejected word and the permitted alternatives.
    public static func policy(
        named text: String, among entries: [Entry] = PolicyCatalog.entries
    ) throws(PolicyNameError) -> any Policy {
        var words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // The default has no parameters. Those of earlier versions are for its rule, which has the name `horizon`.
        if words[0] == "default", words.count > 1 { words[0] = "horizon" }
        // Before `patience` was a choice of users, a parameter had this name.
        if words[0] == "horizon" {
            words = words.map { $0.hasPrefix("patience=") ? "wait=" + $0.dropFirst(9) : $0 }
        }
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

    /// Returns the help text: a line per policy and per parameter, with rules, units, ranges, and defaults.
    public static func text(of entries: [Entry] = PolicyCatalog.entries) -> String {
        entries.flatMap { entry in
            ["\(entry.name): \(entry.summary)"]
                + entry.parameters.map {
                    "    \($0.key)=\(text($0.defaultValue)): \($0.meaning) "
                        + "(\(text($0.range))\($0.unitText)\($0.isWhole ? ", whole" : ""))"
                }
        }.joined(separator: "\n")
    }

    /// Returns a number as text. Whole numbers have no fraction.
    static func text(_ value: Double) -> String {
        guard let whole = Int64(exactly: value) else { return "\(value)" }
        return String(whole)
    }

    /// Returns a range in words, such as `from 0 to 1`, or `of 0 or more` for a range without an upper bound.
    fileprivate static func words(for range: ClosedRange<Double>) -> String {
        range.upperBound.isFinite
            ? "from \(text(range.lowerBound)) to \(text(range.upperBound))" : "of \(text(range.lowerBound)) or more"
    }

    static func text(_ range: ClosedRange<Double>) -> String { "\(text(range.lowerBound))…\(text(range.upperBound))" }
}

/// An error in the name or the parameters of a policy.
public enum PolicyNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No policy has this name.
    case unknownPolicy(String, known: [String])
    /// The policy has no parameter of this name, or the word is not of the form `key=value`.
    case unknownParameter(String, policy: String, known: [String])
    /// The same parameter appears twice.
    case repeatedParameter(String, policy: String)
    /// The value is not a number, or the parameter does not permit the value.
    case badValue(String, of: PolicyCatalog.Parameter, policy: String)

    /// A sentence that names the mistake and the permitted alternatives.
    public var description: String {
        switch self {
        case .unknownPolicy(let name, let known) where PolicyCatalog.formerNames.contains(name):
            "this version no longer has the policy '\(name)'; use one of \(known.joined(separator: ", "))"
        case .unknownPolicy(let name, let known):
            "unknown policy '\(name)'; available policies: \(known.joined(separator: ", "))"
        case .unknownParameter(let word, let policy, []):
            "policy \(policy) has no parameters; remove '\(word)'"
        case .unknownParameter(let word, let policy, let known):
            "unknown parameter '\(word)' of policy \(policy); use \(known.map { "\($0)=NUMBER" }.joined(separator: ", "))"
        case .repeatedParameter(let key, let policy):
            "parameter \(key) of policy \(policy) appears twice"
        case .badValue(let value, let parameter, let policy):
            "\(parameter.key)=\(value) of the policy \(policy) must be a \(parameter.isWhole ? "whole " : "")number "
                + "\(PolicyCatalog.words(for: parameter.range))\(parameter.unitText)"
        }
    }
}
