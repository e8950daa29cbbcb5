// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Roaming and the portal, mocked by python-dbusmock",
    .enabled(if: MockFixture.unavailabilityReason == nil, "\(MockFixture.unavailabilityReason ?? "")"))
struct MockedSourceTests {
    private func withMock(
        _ service: MockFixture.Service, _ body: (MockFixture, PrivateBus) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let result: Result<Void, any Error>
        do {
            let mock = try await MockFixture(service, bus: bus)
            do { result = .success(try await body(mock, bus)) } catch { result = .failure(error) }
            await mock.end()
        } catch { result = .failure(error) }
        await bus.end()
        try result.get()
    }

    private static let noMachine = ["upower", "sysfs", "netlink"].flatMap { ["--without", $0] }

    private func withProbe(
        _ arguments: [String], environment: [String: String], _ body: (ConditionsProbe) async throws -> Void
    ) async throws {
        let probe = try ConditionsProbe(Self.noMachine + arguments, environment: environment)
        let result: Result<Void, any Error>
        do { result = .success(try await body(probe)) } catch { result = .failure(error) }
        await probe.end()
        try result.get()
    }

    @Test("Roaming follows the modem on a cellular link, also when the modem disappears and returns")
    func roaming() async throws {
        try await withMock(.modem) { mock, bus in
            try await mock.setPrimaryConnection(type: "gsm")
            try await withProbe([], environment: bus.environment) { probe in
                try await probe.line(
                    "kind=cellular/networkManager/reported", "roaming=unknown/none/assumed", "metered=guessYes/rule")
                try await mock.addModem(driving: "wwan0", state: 1)
                try await probe.line("roaming=no/modemManager/reported")
                try await mock.setRegistration(5)
                try await probe.line("roaming=yes/modemManager/reported/changed")
                try await mock.removeModem()
                try await probe.line("roaming=unknown/none")
                try await mock.addModem(driving: "wwan0", state: 5)
                try await probe.line("roaming=yes/modemManager")
                try await mock.setPrimaryConnection(type: "802-3-ethernet")
                try await probe.line("kind=ethernet/networkManager", "roaming=no/networkManager")
            }
        }
    }

    @Test("In a sandbox, the portal reports reachability and metered state, and changes are followed")
    func sandbox() async throws {
        try await withMock(.portal) { mock, bus in
            let folder = try TemporaryFolder()
            let marker = folder.path + "/.flatpak-info"
            try "".write(toFile: marker, atomically: true, encoding: .utf8)
            try await mock.setStatus(isAvailable: true, isMetered: true, connectivity: 4)
            try await withProbe(
                ["--sandbox", marker],
                environment: bus.environment.merging(bus.sessionEnvironment) { $1 }
            ) { try await followPortal(mock, $0) }
        }
    }

    @Test("The portal is queried if there is no system bus, and not otherwise")
    func withoutSystemBus() async throws {
        try await withMock(.portal) { mock, bus in
            try await mock.setStatus(isAvailable: true, isMetered: true, connectivity: 4)
            try await withProbe([], environment: bus.environment.merging(bus.sessionEnvironment) { $1 }) { probe in
                let line = try await probe.process.output.next()
                #expect(line.text.contains("network=unknown/none"), "\(line.text)")
            }
            var environment = bus.sessionEnvironment
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
            try await withProbe([], environment: environment) { try await followPortal(mock, $0) }
        }
    }

    private func followPortal(_ mock: MockFixture, _ probe: ConditionsProbe) async throws {
        try await probe.line("network=full/portal/reported", "metered=guessYes/portal/guessed")
        try await mock.setStatus(isAvailable: true, isMetered: false, connectivity: 3)
        try await probe.line("network=portal/portal/reported", "metered=guessNo/portal/guessed")
        try await mock.setStatus(isAvailable: false, isMetered: false, connectivity: 1)
        try await probe.line("network=none/portal")
        await mock.end()
        try await probe.line("network=unknown/none", "metered=unknown/rule")
    }
}
