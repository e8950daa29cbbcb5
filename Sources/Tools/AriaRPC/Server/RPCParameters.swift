// SPDX-License-Identifier: Apache-2.0
import FlyingFox

/// The parameters of a call, after the token, by position.
struct RPCParameters {
    private let values: [JSONValue]

    init(_ values: [JSONValue]) { self.values = values }

    /// Returns the parameter at an index, or `nil` if it is missing or null.
    private subscript(_ index: Int) -> JSONValue? {
        guard values.indices.contains(index), values[index] != .null else { return nil }
        return values[index]
    }

    /// Returns a text.
    func text(_ index: Int, _ name: String) throws(RPCFault) -> String {
        guard case .string(let text)? = self[index] else { throw Self.fault(index, name, "a text") }
        return text
    }

    /// Returns a list of texts; empty if the parameter is missing.
    func texts(_ index: Int, _ name: String) throws(RPCFault) -> [String] {
        guard let value = self[index] else { return [] }
        guard case .array(let items) = value else { throw Self.fault(index, name, "a list of texts") }
        return try items.map { (item) throws(RPCFault) in
            guard case .string(let text) = item else { throw Self.fault(index, name, "a list of texts") }
            return text
        }
    }

    /// Returns a whole number, or `nil` if the parameter is missing.
    func optionalNumber(_ index: Int, _ name: String) throws(RPCFault) -> Int? {
        guard let value = self[index] else { return nil }
        guard case .number(let number) = value, let whole = Int(exactly: number), whole.magnitude < 1 << 31 else {
            throw Self.fault(index, name, "a whole number")
        }
        return whole
    }

    /// Returns a whole number.
    func number(_ index: Int, _ name: String) throws(RPCFault) -> Int {
        guard let number = try optionalNumber(index, name) else { throw Self.fault(index, name, "a whole number") }
        return number
    }

    /// Returns an object; empty if the parameter is missing.
    func object(_ index: Int, _ name: String) throws(RPCFault) -> [String: JSONValue] {
        guard let value = self[index] else { return [:] }
        guard case .object(let object) = value else { throw Self.fault(index, name, "an object") }
        return object
    }

    /// Returns a list of objects.
    func objects(_ index: Int, _ name: String) throws(RPCFault) -> [[String: JSONValue]] {
        guard case .array(let items)? = self[index] else { throw Self.fault(index, name, "a list of objects") }
        return try items.map { (item) throws(RPCFault) in
            guard case .object(let object) = item else { throw Self.fault(index, name, "a list of objects") }
            return object
        }
    }

    private static func fault(_ index: Int, _ name: String, _ expected: String) -> RPCFault {
        .invalidParameters("parameter \(index + 1) after the token, '\(name)', must be \(expected)")
    }
}
