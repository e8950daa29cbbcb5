// SPDX-License-Identifier: Apache-2.0
import RawBus

/// The members of the victim's session object. For other callers, the object does not exist.
extension HostileCase {
    private static let unknown = Expectation.refused("UnknownObject")

    static let sessionMembers: [HostileCase] =
        ["PauseAll", "ResumeAll", "CancelAll", "Tasks", "Close"].map {
            HostileCase(member: $0, target: .victimSession, foreign: unknown)
        } + [
            HostileCase(
                member: "List", target: .victimSession, arguments: { _ in [.dictionary([])] }, foreign: unknown),
            HostileCase(
                member: "Post", detail: "submit", target: .victimSession,
                arguments: { _ in [HostileFixture.submit(task: 2, "own")] }, foreign: unknown),
            HostileCase(
                member: "Post", detail: "cancel", target: .victimSession,
                arguments: { _ in [.dictionary([("order", .string("cancel")), ("task", .int64(1))])] },
                foreign: unknown),
            HostileCase(
                member: "Acknowledge", target: .victimSession, arguments: { _ in [.int64(1)] }, foreign: unknown),
            HostileCase(member: "Open", target: .victimSession, arguments: { _ in [.int64(1)] }, foreign: unknown),
            HostileCase(member: "Body", target: .victimSession, arguments: { _ in [.int64(1)] }, foreign: unknown),
            HostileCase(member: "Explain", target: .victimSession, arguments: { _ in [.int64(1)] }, foreign: unknown),
        ]
        + ["Identifier", "App", "Transfers", "State"].map {
            HostileCase(member: $0, isProperty: true, target: .victimSession, foreign: unknown)
        }
}
