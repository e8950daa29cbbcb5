// SPDX-License-Identifier: Apache-2.0
import RawBus

/// A call of one method or a read of one property that must not do harm, and what callers must get for it.
struct HostileCase: Sendable {
    /// What a caller must get.
    enum Expectation: Sendable {
        /// An answer that holds nothing of the victim's.
        case own
        /// An error of that name, the part behind the last dot, with each of the words in its text.
        case refused(String, saying: [String] = [])

        /// What is wrong with an answer; nil where nothing is.
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

    /// The object that the call goes to.
    enum Target: Sendable {
        case manager
        case victimTransfer
        case victimSession
    }

    var member: String
    /// Whether the member is a property, read by `Get`.
    var isProperty = false
    var note = ""
    var target = Target.manager
    var arguments: @Sendable (HostileRig) -> [WireValue] = { _ in [] }
    var foreign = Expectation.own
    /// What a sandboxed app must get; nil is the same.
    var sandboxed: Expectation?

    var interface: String {
        switch target {
        case .manager: HostileRig.manager
        case .victimTransfer: HostileRig.transfer
        case .victimSession: HostileRig.session
        }
    }

    /// The name for messages.
    var name: String { "\(interface).\(member)" + (note.isEmpty ? "" : " (\(note))") }

    /// The call as it goes to a daemon.
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

    /// Every method and property of the three interfaces.
    static let all = methods + managerProperties + transferMembers + sessionMembers

    private static let managerProperties: [HostileCase] = [
        "Version", "ProcessID", "Policy", "Held", "Conditions", "StateDirectory", "StateLost",
    ].map { HostileCase(member: $0, isProperty: true) }
}
