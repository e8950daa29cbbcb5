// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A specification as it lies in columns: what nearly all transfers have, and the rest as JSON.
struct TransferColumns: Sendable {
    var url: String
    var destination: Destination
    /// `{}` where the rest is as by default.
    var rest: String
    var shared: Shared
    var numbers: TraitNumbers

    /// The traits that thousands share: by the number of their class where it is known to be saved.
    enum Shared: Sendable {
        case numbered(Int64)
        indirect case traits(TransferTraits)
    }

    init(_ specification: TransferSpecification, _ classes: ClassNumbers) throws {
        url = specification.url
        destination = specification.destination
        let shared: TransferTraits
        (shared, numbers) = TraitNumbers.split(specification.traits)
        self.shared = classes.number(of: shared).map(Shared.numbered) ?? .traits(shared)
        guard !specification.isPlain else {
            rest = "{}"
            return
        }
        var rest = specification
        (rest.url, rest.destination, rest.traits) = (Self.blank.url, Self.blank.destination, Self.blank.traits)
        // Rare, so without a column of its own.
        rest.destination.folderIdentity = destination.folderIdentity
        self.rest = try JSONText.encode(rest)
    }

    /// The specification that lies in these columns.
    static func specification(
        url: String, destination: Destination, rest: String, traits: TransferTraits
    ) throws -> TransferSpecification {
        var whole = rest == "{}" ? blank : try JSONText.decode(TransferSpecification.self, from: rest)
        whole.url = url
        let folderIdentity = whole.destination.folderIdentity
        whole.destination = destination
        whole.destination.folderIdentity = folderIdentity
        whole.traits = traits
        return whole
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
