// SPDX-License-Identifier: Apache-2.0

/// A condition that the user or an embedding program has defined, with its present value.
///
/// A transfer requires values of it with a ``CustomConstraint``. It behaves like power and network in every other
/// respect: it has a source and a start, users see it, and recordings contain it.
///
/// ```swift
/// conditions.custom = [CustomCondition("call", Fact("yes", source: .custom, since: now), origin: "/run/call")]
/// ```
public struct CustomCondition: Hashable, Sendable {
    /// The name. See ``CustomConstraint/isName(_:)``.
    public let name: String
    /// The value, or `nil` if it is unknown.
    public var fact: Fact<String?>
    /// The value in words, such as `a call is running`, or `nil` if the name and the value say enough.
    public var sentence: String?
    /// The source of the value, for users: a file, a command, or a property of a service.
    public var origin: String

    /// Creates a condition. By default, its name and value are shown to users.
    public init(_ name: String, _ fact: Fact<String?>, sentence: String? = nil, origin: String) {
        self.name = name
        self.fact = fact
        self.sentence = sentence
        self.origin = origin
    }
}

extension [CustomCondition] {
    /// Adds a condition, or replaces the condition of the same name. The array stays sorted by name.
    package mutating func replace(with condition: CustomCondition) {
        removeAll { $0.name == condition.name }
        insert(condition, at: firstIndex { $0.name > condition.name } ?? count)
    }
}
