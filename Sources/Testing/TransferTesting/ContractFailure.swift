// SPDX-License-Identifier: Apache-2.0

/// A violation of a port's contract by an implementation.
///
/// ```swift
/// guard count == 1 else { throw ContractFailure("the alarm rang \(count) times") }
/// ```
public struct ContractFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expected and the actual behavior.
    public var description: String

    /// Creates a failure with a description of the expected and the actual behavior.
    public init(_ description: String) {
        self.description = description
    }
}

/// Throws a `ContractFailure` unless the condition holds.
package func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw ContractFailure(otherwise()) }
}

/// Throws a `ContractFailure` unless both values are equal.
package func expectEqual<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) throws {
    guard actual == expected else {
        throw ContractFailure("\(what): expected \(expected), got \(actual)")
    }
}
