// SPDX-License-Identifier: Apache-2.0
import RawBus

/// A harmful call of a method or read of a property, with the answer that each kind of caller must get.
struct HostileCase: Sendable {
    /// The answer that a caller must get.
    enum Expectation: Sendable {
        /// A reply that contains none of the victim's data.
        case own
        /// An error whose name ends with the given part after its last dot. Its text contains each of the words.
        case refused(String, saying: [String] = [])

        /// Describes the fault of an answer; nil if the answer is as expected.
        func fault(in answer: HostileAnswer) -> String? {
            switch self {
            case .own:
                if answer.error != nil { return "is refused: \(answer)" }
                return answer.description.contains(HostileRig.mark) ? "shows the victim's data: \(answer)" : nil
            case .refused(let name, let words):
                guard answer.error == name else { return "should be refused with \(name), but gets: \(answer)" }
                let missing = words.filter { !answer.text.contains($0) }
                return missing.isEmpty ? nil : "the error does not name \(missing): \(answer)"
            }
        }
    }

    /// The object that receives the call.
    enum Target: Sendable {
        case manager
        case victimTransfer
        case victimSession
    }

    var member: String
    /// A Boolean value that indicates whether the member is a property, which is read with `Get`.
    var isProperty = false
    var note = ""
    var target = Target.manager
    var arguments: @Sendable (HostileRig) -> [WireValue] = { _ in [] }
    var foreign = Expectation.own
    /// The expectation for a sandboxed app; nil if it is the same as `foreign`.
    var sandboxed: Expectation?

    var interface: String {
        switch target {
        case .manager: HostileRig.manager
        case .victimTransfer: HostileRig.transfer
        case .victimSession: HostileRig.session
        }
    }

    /// The name of the case in messages.
    var name: String { "\(interface).\(member)" + (note.isEmpty ? "" : " (\(note))") }

    /// Returns the call as it is sent to the daemon.
    func call(_ rig: HostileRig) -> HostileCall {
        let path =
            switch target {
            case .manager: HostileRig.managerPath
            case .victimTransfer: rig.victimPath
            case .victimSession: rig.victimSession
            }
        guard isProperty else {
            return HostileCall(path: path, interface: interface, member: member, arguments: arguments(rig))
        }
        return HostileCall(
            path: path, interface: HostileRig.properties, member: "Get",
            arguments: [.string(interface), .string(member)])
    }

    /// The cases for every method and property of the three interfaces.
    static let all = methods + managerProperties + transferMembers + sessionMembers

    private static let managerProperties: [HostileCase] = [
        "Version", "ProcessID", "Policy", "Held", "Conditions", "StateDirectory", "StateLost",
    ].map { HostileCase(member: $0, isProperty: true) }
}
