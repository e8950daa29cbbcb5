// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Testing

@Suite(
    "The power profile, from a real power-profiles-daemon",
    .enabled(if: ProfileFixture.unavailabilityReason == nil, "\(ProfileFixture.unavailabilityReason ?? "")"))
struct PowerProfileTests {
    private static let others = ["netlink", "networkManager", "upower", "sysfs", "logind"].flatMap {
        ["--without", $0]
    }

    private func withProbe(
        environment: [String: String] = [:], _ prepare: (PrivateBus, ProfileFixture) async throws -> Void,
        _ body: (PrivateBus, ProfileFixture, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let fixture = try ProfileFixture(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await prepare(bus, fixture)
            let none = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/session"]
            let probe = try ConditionsProbe(
                Self.others, environment: none.merging(bus.environment) { $1 }.merging(environment) { $1 })
            do { result = .success(try await body(bus, fixture, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        try result.get()
    }

    private func portal(on bus: PrivateBus, savesPower: Bool) async throws -> PropertyService {
        try await PropertyService(
            bus: bus, name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.PowerProfileMonitor", property: "power-saver-enabled", type: "b",
            value: "\(savesPower)")
    }

    @Test("Each profile is followed, also through the daemon's death and restart")
    func choices() async throws {
        try await withProbe { _, fixture in
            try await fixture.spawn()
        } _: { _, fixture, probe in
            try await probe.line("profile=balanced/powerProfiles/reported/settled")
            try await fixture.set("power-saver")
            try await probe.line("profile=power-saver/powerProfiles/reported/changed")
            try await fixture.set("performance")
            try await probe.line("profile=performance/powerProfiles/reported/changed")
            try await fixture.kill()
            try await probe.line("profile=unknown/none/assumed/changed")
            try await fixture.spawn()
            try await probe.line("profile=performance/powerProfiles/reported/changed")
        }
    }

    @Test("The current bus name takes precedence over the former name")
    func newName() async throws {
        try await withProbe { _, fixture in
            try await fixture.spawn()
        } _: { bus, fixture, probe in
            try await probe.line("profile=balanced/powerProfiles")
            let service = try await PropertyService(
                bus: bus, name: "org.freedesktop.UPower.PowerProfiles", path: "/org/freedesktop/UPower/PowerProfiles",
                interface: "org.freedesktop.UPower.PowerProfiles", property: "ActiveProfile", type: "s",
                value: "performance")
            try await probe.line("profile=performance/powerProfiles")
            try await service.set("power-saver")
            try await probe.line("profile=power-saver/powerProfiles")
            await service.end()
            try await probe.line("profile=balanced/powerProfiles")
        }
    }

    @Test("In a sandbox, the portal reports power saving; a visible daemon reports the exact profile")
    func sandbox() async throws {
        let session = try await PrivateBus()
        let portal = try await portal(on: session, savesPower: true)
        try await withProbe(
            environment: ["DBUS_SESSION_BUS_ADDRESS": session.address, "FLATPAK_ID": "org.example.Test"]
        ) { _, _ in
        } _: { _, fixture, probe in
            try await probe.line("profile=power-saver/portal/reported/settled")
            try await portal.set("false")
            try await probe.line("profile=balanced/portal/guessed/changed")
            try await fixture.spawn()
            try await probe.line("profile=balanced/powerProfiles/reported")
        }
        await portal.end()
        await session.end()
    }
}
