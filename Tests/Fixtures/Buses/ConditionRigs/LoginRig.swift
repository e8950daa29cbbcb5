// SPDX-License-Identifier: Apache-2.0

/// A real systemd-logind on a bus of ours, in a mount namespace, with a stand-in for systemd: nothing goes to sleep.
package struct LoginRig: Sendable {
    /// Why it cannot run here; nil when it can.
    package static let unavailabilityReason: String? = {
        if let reason = RigTools.missing(["dbus-daemon", "unshare", "/usr/bin/python3", "/lib/systemd/systemd-logind"])
        {
            return reason
        }
        if let reason = CommandedRig.missingModules("from gi.repository import Gio", "Python's gi") { return reason }
        let mayMount = (try? RigProcess.runBlocking(["unshare", "--mount", "mount", "--make-rprivate", "/"])) != nil
        return mayMount ? nil : "mount namespaces are not allowed here"
    }()

    private let rig: CommandedRig

    /// Prepares; nothing runs before `spawn`.
    package init(bus: PrivateBus) throws {
        rig = try CommandedRig(
            "login", ["unshare", "--mount", "/usr/bin/python3", RigTools.resource("logind-rig.py")],
            environment: bus.environment)
    }

    /// Starts logind; returns once it is on the bus.
    package func spawn() async throws { try await rig.ask("spawn") }

    /// Kills logind with SIGKILL.
    package func kill() async throws { try await rig.ask("kill") }

    /// Makes logind hang.
    package func hang() async throws { try await rig.ask("stop") }

    /// Lets a hanging logind go on.
    package func resume() async throws { try await rig.ask("cont") }

    /// Asks for sleep, as a lid does.
    package func sleep() async throws { try await rig.ask("sleep") }

    /// Asks for the machine to be switched off.
    package func powerOff() async throws { try await rig.ask("poweroff") }

    /// The target that logind has had started since it last woke: "nothing" while it is held up.
    package func begun() async throws -> String { try await rig.ask("begun") }

    /// For how long it was held up before that, by the rig's own clock: a test that is kept waiting sees it later.
    package func held() async throws -> Duration {
        let answer = try await rig.ask("held")
        guard let milliseconds = Int64(answer) else { throw RigError("\(answer) is not a number of milliseconds") }
        return .milliseconds(milliseconds)
    }

    /// The machine is back.
    package func wake() async throws { try await rig.ask("wake") }

    /// The locks that are held: `shutdown:sleep/delay/1234`, the last being the holder's process id.
    package func locks() async throws -> [String] {
        try await rig.ask("locks").split(separator: " ").map(String.init)
    }

    /// Ends logind and the rig.
    package func end() async { await rig.end() }
}
