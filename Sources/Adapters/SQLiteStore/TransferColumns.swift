// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import TransferEngine
internal import TransferPolicy

/// A specification as it lies in columns: what nearly all transfers have, and the rest as JSON.
struct TransferColumns: Sendable {
    var url: String
    var destination: Destination
    /// `{}` where the rest is as by default.
    var rest: String
    /// The traits that thousands share.
    var shared: TransferTraits
    var numbers: TraitNumbers

    init(_ specification: TransferSpecification) throws {
        var rest = specification
        url = rest.url
        destination = rest.destination
        (shared, numbers) = TraitNumbers.split(rest.traits)
        (rest.url, rest.destination, rest.traits) = (Self.blank.url, Self.blank.destination, Self.blank.traits)
        self.rest = rest == Self.blank ? "{}" : try JSONText.encode(rest)
    }

    /// The specification with this in the columns.
    func specification() throws -> TransferSpecification {
        var whole = rest == "{}" ? Self.blank : try JSONText.decode(TransferSpecification.self, from: rest)
        whole.url = url
        whole.destination = destination
        whole.traits = numbers.joined(with: shared)
        return whole
    }

    init(url: String, destination: Destination, rest: String, shared: TransferTraits, numbers: TraitNumbers) {
        self.url = url
        self.destination = destination
        self.rest = rest
        self.shared = shared
        self.numbers = numbers
    }

    private static let blank = TransferSpecification(
        url: "", destination: Destination(directory: "", name: nil),
        traits: TransferTraits(kind: .normal, host: "", submitted: WallTime(nanosecondsSinceEpoch: 0)))
}

/// The traits that each transfer has for itself.
struct TraitNumbers: Sendable {
    var submitted: Int64
    var deadline: Int64?
    var notBefore: Int64?
    var expected: Int64?
    var sending: Int64?
    var expires: Int64?

    /// Traits apart: what thousands share, and these.
    static func split(_ traits: TransferTraits) -> (shared: TransferTraits, numbers: TraitNumbers) {
        let numbers = TraitNumbers(
            submitted: traits.submitted.nanosecondsSinceEpoch,
            deadline: traits.constraints.deadline?.date.nanosecondsSinceEpoch,
            notBefore: traits.constraints.notBefore?.date.nanosecondsSinceEpoch,
            expected: traits.expectedBytesToReceive, sending: traits.expectedBytesToSend,
            expires: traits.expires?.nanosecondsSinceEpoch)
        var shared = traits
        shared.submitted = WallTime(nanosecondsSinceEpoch: 0)
        (shared.constraints.deadline, shared.constraints.notBefore) = (nil, nil)
        (shared.expectedBytesToReceive, shared.expectedBytesToSend, shared.expires) = (nil, nil, nil)
        return (shared, numbers)
    }

    /// The whole traits.
    func joined(with shared: TransferTraits) -> TransferTraits {
        var traits = shared
        traits.submitted = WallTime(nanosecondsSinceEpoch: submitted)
        if let deadline {
            traits.constraints.deadline = DeadlineConstraint(WallTime(nanosecondsSinceEpoch: deadline))
        }
        if let notBefore {
            traits.constraints.notBefore = NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: notBefore))
        }
        traits.expectedBytesToReceive = expected
        traits.expectedBytesToSend = sending
        traits.expires = expires.map { WallTime(nanosecondsSinceEpoch: $0) }
        return traits
    }
}

/// Values as text in the database.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
