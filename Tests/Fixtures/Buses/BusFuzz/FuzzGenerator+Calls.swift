// SPDX-License-Identifier: Apache-2.0
import RawBus

/// The transfers and sessions that a connection knows, so that random calls reach existing objects.
struct FuzzKnowledge {
    var ids: [Int64] = []
    var sessions: [String] = []
    /// The number of the newest event each session has reported, by the session's path.
    var events: [String: Int64] = [:]
}

/// A random call, ready to be sent.
struct FuzzCall {
    var member: FuzzMember
    var message: WireMessage
    var arguments: [WireValue]
    var passesDescriptors: Bool

    /// A readable form of the call for the log.
    var text: String {
        "\(member.interface).\(member.name) at \(message.path ?? "")"
            + " (\(arguments.map(\.description).joined(separator: ", ")))"
            + (passesDescriptors ? " with descriptors" : "")
    }
}

extension FuzzGenerator {
    private static let drawn: [FuzzMember] = FuzzMember.all.flatMap { Array(repeating: $0, count: $0.weight) }
    private static let strangePaths = [
        "/", "/org/transferd", "/org/transferd/transfer", "/org/transferd/session", "/org/transferd/session/x",
        "/org/transferd/transfer/0", "/org/transferd/transfer/_1", "/org/transferd/transfer/99999999999999999999",
        "/org/transferd/session/a__b__c", "/org/transferd/session/_00__one", "/org/transferd/session/_zz__",
        "/org/transferd/session/__",
    ]

    /// Returns a random call of any member.
    mutating func call(knowing known: FuzzKnowledge) -> FuzzCall {
        let member = pick(Self.drawn)
        var arguments = member.arguments.map { argument($0, of: member, knowing: known) }
        if chance(1) { arguments = (0..<number(0..<3)).map { _ in invalidValue() } }
        let path = chance(2) ? pick(Self.strangePaths) : self.path(member.target, known)
        let message = WireMessage.call(
            member.name, of: member.interface, at: path, to: "org.transferd", arguments)
        let passes = arguments.contains { $0.containsHandle } ? !chance(5) : chance(1)
        return FuzzCall(member: member, message: message, arguments: arguments, passesDescriptors: passes)
    }

    private mutating func path(_ target: FuzzMember.Target, _ known: FuzzKnowledge) -> String {
        switch target {
        case .manager: FuzzClient.manager
        case .conditions: "/org/transferd/Conditions"
        case .session: known.sessions.isEmpty ? "/org/transferd/session/x__y" : pick(known.sessions)
        }
    }

    private mutating func id(_ known: FuzzKnowledge) -> Int64 {
        if !known.ids.isEmpty, chance(85) { return pick(known.ids) }
        return chance(50) ? Int64(number(1..<200)) : max(0, hugeNumber())
    }

    private mutating func argument(
        _ argument: FuzzMember.Argument, of member: FuzzMember, knowing known: FuzzKnowledge
    ) -> WireValue {
        switch argument {
        case .dictionary(let keys): return dictionary(keys, needed: ["identifier"])
        case .dictionaries(let keys):
            let count = chance(90) ? number(1..<4) : number(0..<40)
            return .array(of: "a{sv}", (0..<count).map { _ in dictionary(keys, needed: ["url"], share: 8) })
        case .order: return order()
        case .id: return .int64(chance(90) ? id(known) : hugeNumber())
        case .ids:
            let count = number(0..<5)
            return .array(of: "x", (0..<count).map { _ in .int64(chance(90) ? id(known) : hugeNumber()) })
        case .flag: return .boolean(chance(50))
        case .seconds: return .uint64(pick([0, 1, 3600, UInt64(Int64.max), .max]))
        case .text(let texts): return .string(chance(90) ? pick(texts) : hostileText())
        }
    }

    private mutating func order() -> WireValue {
        let words = [
            "submit", "submit", "submit", "change", "suspend", "resume", "cancel", "cancel-keeping", "begin", "answer",
        ]
        let word = pick(words)
        guard chance(92) else { return dictionary(FuzzKey.order, needed: ["order"], share: 40) }
        let keys = FuzzKey.keys(ofOrder: word)
        var entries: [(String, WireValue)] = [("order", .string(word))]
        for key in FuzzKey.order where keys.contains(key.name) && !chance(3) {
            entries.append((key.name, chance(wrongness) ? invalidValue() : validValue(key.kind)))
        }
        return .dictionary(entries)
    }
}

extension WireValue {
    /// A Boolean value that indicates whether this value contains a descriptor index at any depth.
    var containsHandle: Bool {
        switch self {
        case .handle: true
        case .variant(let inner): inner.containsHandle
        case .array(_, let members), .structure(let members): members.contains { $0.containsHandle }
        case .entry(let key, let value): key.containsHandle || value.containsHandle
        default: false
        }
    }
}
