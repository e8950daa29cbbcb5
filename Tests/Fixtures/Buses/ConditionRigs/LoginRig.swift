// SPDX-License-Identifier: Apache-2.0

/// A real systemd-logind on a private bus, in a mount namespace, with a stand-in for systemd.
/// The machine never sleeps.
package struct LoginRig: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
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

    /// Prepares the fixture. Nothing runs before `spawn`.
    package init(bus: PrivateBus) throws {
        rig = try CommandedRig(
            "login", ["unshare", "--mount", "/usr/bin/python3", RigTools.resource("logind-rig.py")],
            environment: bus.environment)
    }

    /// Starts logind, and returns after logind has claimed its bus name.
    package func spawn() async throws { try await rig.ask("spawn") }

    /// Kills logind with SIGKILL.
    package func kill() async throws { try await rig.ask("kill") }

    /// Makes logind hang.
    package func hang() async throws { try await rig.ask("stop") }

    /// Resumes a hanging logind.
    package func resume() async throws { try await rig.ask("cont") }

    /// Requests sleep, as closing the lid does.
    package func sleep() async throws { try await rig.ask("sleep") }

    /// Requests power-off.
    package func powerOff() async throws { try await rig.ask("poweroff") }

    /// Returns the target that logind has started since the last wake-up, or "nothing" while logind is delayed.
    package func begun() async throws -> String { try await rig.ask("begun") }

    /// Returns the time for which logind was delayed before that target, by the fixture's own clock.
    ///
    /// A test that is starved of processor time would measure a longer delay.
    package func held() async throws -> Duration {
        let answer = try await rig.ask("held")
        guard let milliseconds = Int64(answer) else { throw RigError("\(answer) is not a number of milliseconds") }
        return .milliseconds(milliseconds)
    }

    /// Simulates the machine's wake-up.
    package func wake() async throws { try await rig.ask("wake") }

    /// Returns the held inhibitor locks, such as `shutdown:sleep/delay/1234`. The last number is
    /// the holder's process id.
    package func locks() async throws -> [String] {
        try await rig.ask("locks").split(separator: " ").map(String.init)
    }

    /// Ends logind and the fixture.
    package func end() async { await rig.end() }
}
