// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A specification split into columns: the values that nearly all transfers have, and the rest as JSON.
struct TransferColumns: Sendable {
    var url: String
    var destination: Destination
    /// The remaining values as JSON; `{}` if all of them have their defaults.
    var rest: String
    var shared: Shared
    var numbers: TraitNumbers

    /// The traits that thousands of transfers share. Replaced by the number of their class if the cache contains the
    /// class.
    enum Shared: Sendable {
        case numbered(Int64)
        indirect case traits(TransferTraits)
    }

    init(_ specification: TransferSpecification, _ classes: TraitClassCache) throws {
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
        // A folder identity is rare, so it has no column.
        rest.destination.folderIdentity = destination.folderIdentity
        self.rest = try JSONText.encode(rest)
    }

    /// Returns the specification that these columns store.
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

/// The traits that differ between transfers, as numbers. Dates are in nanoseconds since the epoch.
struct TraitNumbers: Sendable {
    var submitted: Int64
    var deadline: Int64?
    var notBefore: Int64?
    var expected: Int64?
    var sending: Int64?
    var expires: Int64?

    /// Splits traits into the part that thousands of transfers share and the numbers of this transfer.
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

    /// Returns the complete traits, from the shared part and these numbers.
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
