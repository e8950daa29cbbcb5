// SPDX-License-Identifier: Apache-2.0

/// What an implementation of a port did that its contract forbids.
public struct ContractFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was expected and what came instead.
    public var description: String

    /// A failure.
    public init(_ description: String) {
        self.description = description
    }
}

/// Throws unless `condition` holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw ContractFailure(otherwise()) }
}

/// Throws unless both are equal.
func expectEqual<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) throws {
    guard actual == expected else {
        throw ContractFailure("\(what): expected \(expected), got \(actual)")
    }
}
