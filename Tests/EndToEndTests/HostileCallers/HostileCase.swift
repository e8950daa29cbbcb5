// SPDX-License-Identifier: Apache-2.0
import RawBus

/// A harmful call of a method or read of a property, with the reply that each kind of caller must get.
struct HostileCase: Sendable {
    /// The reply that a caller must get.
    enum Expectation: Sendable {
        /// A reply that contains none of the victim's data.
        case own
        /// An error whose name ends with the given part after its last dot. Its text contains each of the words.
        case refused(String, saying: [String] = [])

        /// Describes the fault of a reply, or returns `nil` if the reply is as expected.
        func fault(in reply: HostileReply) -> String? {
            switch self {
            case .own:
                if reply.error != nil { return "was rejected: \(reply)" }
                return reply.description.contains(HostileFixture.mark) ? "shows the victim's data: \(reply)" : nil
            case .refused(let name, let words):
                guard reply.error == name else { return "expected the error \(name), got \(reply)" }
                let missing = words.filter { !reply.text.contains($0) }
                return missing.isEmpty ? nil : "the error does not name \(missing): \(reply)"
            }
        }
    }

    /// The object that receives the call.
    enum Target: Sendable {
        case manager
        case victimSession
        case conditions
    }

    var member: String
    /// A Boolean value that indicates whether the member is a property, which is read with `Get`.
    var isProperty = false
    var detail = ""
    var target = Target.manager
    var arguments: @Sendable (HostileFixture) -> [WireValue] = { _ in [] }
    var foreign = Expectation.own
    /// The expectation for a sandboxed app, or `nil` if it is the same as `foreign`.
    var sandboxed: Expectation?

    var interface: String {
        switch target {
        case .manager: HostileFixture.manager
        case .victimSession: HostileFixture.session
        case .conditions: HostileFixture.conditions
        }
    }

    /// The name of the case in messages.
    var name: String { "\(interface).\(member)" + (detail.isEmpty ? "" : " (\(detail))") }

    /// Returns the call as it is sent to the daemon.
    func call(_ fixture: HostileFixture) -> HostileCall {
        let path =
            switch target {
            case .manager: HostileFixture.managerPath
            case .victimSession: fixture.victimSession
            case .conditions: HostileFixture.conditionsPath
            }
        guard isProperty else {
            return HostileCall(path: path, interface: interface, member: member, arguments: arguments(fixture))
        }
        return HostileCall(
            path: path, interface: HostileFixture.properties, member: "Get",
            arguments: [.string(interface), .string(member)])
    }

    /// The cases for every method and property of the three interfaces.
    static let all = methods + managerProperties + sessionMembers + conditionsProperties

    /// The public verdict, which every caller may read.
    private static let conditionsProperties: [HostileCase] = [
        "Discretionary", "Reasons", "OnAC", "Metered", "Since",
    ].map { HostileCase(member: $0, isProperty: true, target: .conditions) }

    private static let managerProperties: [HostileCase] = [
        "Version", "Commit", "ProcessID", "Policy", "Held", "Conditions", "StateDirectory", "StateLost",
    ].map { HostileCase(member: $0, isProperty: true) }
}
