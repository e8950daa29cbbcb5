// SPDX-License-Identifier: Apache-2.0
import ProcessFixtures

/// A real systemd-logind on a private bus, in a mount namespace, with a stand-in for systemd.
/// The machine never sleeps.
package struct LoginFixture: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = FixtureTools.missing([
            "dbus-daemon", "unshare", "/usr/bin/python3", "/lib/systemd/systemd-logind",
        ]) {
            return reason
        }
        if let reason = CommandedFixture.missingModules("from gi.repository import Gio", "Python's gi") {
            return reason
        }
        let mayMount = FixtureProcess.succeeds(["unshare", "--mount", "mount", "--make-rprivate", "/"])
        return mayMount ? nil : "mount namespaces are not allowed here"
    }()

    private let fixture: CommandedFixture

    /// Prepares the fixture. Nothing runs before `spawn`.
    package init(bus: PrivateBus) throws {
        fixture = try CommandedFixture(
            "login", ["unshare", "--mount", "/usr/bin/python3", FixtureTools.resource("logind-fixture.py")],
            environment: bus.environment)
    }

    /// Starts logind, and returns after logind has claimed its bus name.
    package func spawn() async throws { try await fixture.perform("spawn") }

    /// Kills logind with SIGKILL.
    package func kill() async throws { try await fixture.perform("kill") }

    /// Makes logind hang.
    package func hang() async throws { try await fixture.perform("stop") }

    /// Resumes a hanging logind.
    package func resume() async throws { try await fixture.perform("cont") }

    /// Requests sleep, as closing the lid does.
    package func sleep() async throws { try await fixture.perform("sleep") }

    /// Returns the target that logind has started since the last wake-up, or "nothing" while logind is delayed.
    package func startedTarget() async throws -> String { try await fixture.perform("target") }

    /// Returns the time for which logind was delayed before that target, by the fixture's own clock.
    ///
    /// A test that is starved of processor time would measure a longer delay.
    package func inhibitorDelay() async throws -> Duration {
        let reply = try await fixture.perform("delay")
        guard let milliseconds = Int64(reply) else { throw FixtureError("\(reply) is not a number of milliseconds") }
        return .milliseconds(milliseconds)
    }

    /// Simulates the machine's wake-up.
    package func wake() async throws { try await fixture.perform("wake") }

    /// Returns the active inhibitor locks, such as `shutdown:sleep/delay/1234`. The last number is
    /// the holder's process id.
    package func locks() async throws -> [String] {
        try await fixture.perform("locks").split(separator: " ").map(String.init)
    }

    /// Ends logind and the fixture.
    package func end() async { await fixture.end() }
}
