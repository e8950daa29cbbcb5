// SPDX-License-Identifier: Apache-2.0
import RawBus

/// The manager's methods.
extension HostileCase {
    private static let noSuch = Expectation.refused("NoSuchTransfer")
    private static let denied = Expectation.refused("AccessDenied")

    static let methods: [HostileCase] = submissions + readers + controls + sessions + commands

    private static let submissions: [HostileCase] = [
        HostileCase(member: "Submit", arguments: { _ in submit([]) }),
        HostileCase(
            member: "Submit", detail: "a folder's path, C2",
            arguments: { submit([("directory", .string($0.home)), ("collision", .string("overwrite"))]) },
            sandboxed: .refused("AccessDenied", saying: ["directory-fd"])),
        HostileCase(
            member: "Submit", detail: "a file's path, C2",
            arguments: { submit([("upload-file", .string($0.home + "/.bashrc"))]) },
            sandboxed: .refused("AccessDenied", saying: ["upload-fd"])),
        HostileCase(
            member: "Submit", detail: "a program to start, C3",
            arguments: { _ in submit([("on-complete", .texts(["/bin/sh", "-c", "true"]))]) },
            foreign: .refused("AccessDenied", saying: ["only the user"])),
        HostileCase(
            member: "Submit", detail: "a policy",
            arguments: { _ in submit([("kind", .string("discretionary")), ("policy", .string("immediate"))]) },
            sandboxed: .refused("AccessDenied", saying: ["policy"])),
        HostileCase(
            member: "Submit", detail: "a condition of the user",
            arguments: { _ in submit([("custom", .texts(["call=no"]))]) },
            sandboxed: .refused("AccessDenied", saying: ["custom"])),
        HostileCase(
            member: "Submit", detail: "with another session's name",
            arguments: { _ in submit([("session", .string("another"))]) }),
    ]

    private static func submit(_ fields: [(String, WireValue)]) -> [WireValue] {
        let isUpload = fields.contains { $0.0 == "upload-file" }
        let base: [(String, WireValue)] = [
            ("url", .string("http://127.0.0.1:9/own")), ("not-before", .string("2200-01-01T00:00:00Z")),
        ]
        return [.array(of: "a{sv}", [.dictionary(base + (isUpload ? [] : [("name", .string("own"))]) + fields)])]
    }

    private static let readers: [HostileCase] = [
        HostileCase(member: "List", arguments: { _ in [everything] }),
        HostileCase(
            member: "List", detail: "the victim's",
            arguments: { _ in [.dictionary([("app", .string(HostileFixture.victimApp))])] }),
        HostileCase(member: "ListJSON", arguments: { _ in [everything] }),
        HostileCase(member: "Show", arguments: victimID, foreign: noSuch),
        HostileCase(member: "Explain", arguments: victimID, foreign: noSuch),
        HostileCase(member: "Log", arguments: victimID, foreign: noSuch),
        HostileCase(member: "Open", arguments: victimID, foreign: noSuch),
        HostileCase(member: "Discard", arguments: victimID, foreign: noSuch), HostileCase(member: "Limiters"),
        HostileCase(member: "Budgets"),
        HostileCase(member: "Sessions"), HostileCase(member: "Apps"),
        HostileCase(member: "History", arguments: { _ in [.string("2020-01-01T00:00:00Z")] }),
        HostileCase(
            member: "HistoryFrom", arguments: { _ in [.string("2020-01-01T00:00:00Z"), .string("transfer 0")] }),
        HostileCase(
            member: "HistoryFrom", detail: "the machine's conditions",
            arguments: { _ in [.string("2020-01-01T00:00:00Z"), .string("condition 0")] }),
        // The metrics cover all apps together.
        HostileCase(member: "Metrics", sandboxed: denied), HostileCase(member: "Watch"), HostileCase(member: "Unwatch"),
    ]

    private static let everything = WireValue.dictionary([("ended", .int64(1000)), ("explained", .boolean(true))])
    private static let victimID: @Sendable (HostileFixture) -> [WireValue] = { [.int64($0.victimTransfer)] }
    private static let victimIDs: @Sendable (HostileFixture) -> [WireValue] = {
        [.array(of: "x", [.int64($0.victimTransfer)])]
    }

    private static let controls: [HostileCase] = [
        HostileCase(member: "Pause", arguments: victimIDs, foreign: noSuch),
        HostileCase(member: "Resume", arguments: victimIDs, foreign: noSuch),
        HostileCase(member: "Cancel", arguments: victimIDs, foreign: noSuch),
        HostileCase(member: "StartNow", arguments: victimIDs, foreign: noSuch),
        HostileCase(member: "Retry", arguments: victimIDs, foreign: noSuch, sandboxed: denied),
        HostileCase(
            member: "RetryFrom", arguments: { [.int64($0.victimTransfer), .string("http://h/")] }, foreign: noSuch,
            sandboxed: denied),
        HostileCase(member: "Remove", arguments: victimIDs, foreign: noSuch),
        HostileCase(
            member: "Change", arguments: { [.int64($0.victimTransfer), .dictionary([("priority", .int64(1))])] },
            foreign: noSuch),
        HostileCase(
            member: "Change", detail: "a URL",
            arguments: { [.int64($0.victimTransfer), .dictionary([("url", .string("http://h/"))])] }, foreign: noSuch),
        HostileCase(
            member: "Change", detail: "a removal",
            arguments: { [.int64($0.victimTransfer), .dictionary([("remove", .texts(["deadline"]))])] }, foreign: noSuch
        ),
        HostileCase(member: "Hold", arguments: { _ in [.uint64(0), .string("mine")] }, foreign: denied),
        HostileCase(member: "Release", foreign: denied),
        HostileCase(member: "QuitApp", arguments: { _ in [.string(HostileFixture.victimApp)] }, foreign: denied),
        HostileCase(
            member: "TrustSandbox", arguments: { _ in [.string("app.service"), .boolean(true)] }, foreign: denied),
        HostileCase(member: "SetInFront", arguments: { _ in [.boolean(true)] }),
    ]

    private static let commands: [HostileCase] = [
        HostileCase(
            member: "RegisterCommand",
            arguments: { _ in [.dictionary([("name", .string("mine")), ("state", .string("waiting"))])] },
            foreign: denied),
        HostileCase(member: "Commands", foreign: denied),
        HostileCase(member: "StartCommand", arguments: { _ in [.int64(1), .boolean(true)] }, foreign: denied),
    ]

    private static let sessions: [HostileCase] = [
        HostileCase(member: "OpenSession", detail: "with its own identifier", arguments: { _ in open("own", []) }),
        HostileCase(
            member: "OpenSession", detail: "with the victim's container",
            arguments: { _ in
                let container = WireValue.string(HostileFixture.container)
                return [
                    .dictionary([("identifier", .string("own-2")), ("shared-container", container)]), .dictionary([]),
                ]
            }, sandboxed: .refused("AccessDenied")),
        HostileCase(
            member: "OpenSession", detail: "a command, C3",
            arguments: { _ in open("own-3", [("command", .texts(["/bin/sh", "-c", "true"]))]) },
            sandboxed: .refused("AccessDenied", saying: ["command"])),
        HostileCase(
            member: "OpenSession", detail: "a bus name, C3",
            arguments: { _ in open("own-4", [("bus-name", .string("org.example.Other"))]) },
            sandboxed: .refused("AccessDenied", saying: ["bus-name"])),
    ]

    private static func open(_ identifier: String, _ options: [(String, WireValue)]) -> [WireValue] {
        [.dictionary([("identifier", .string(identifier))]), .dictionary(options)]
    }
}
