// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import Testing

@Suite(
    "service status",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ServiceStatusTests {
    @Test("C11: it shows the kernel's confinement features, in text and JSON, with and without a daemon")
    func confinement() async throws {
        let fixture = try await DaemonFixture()
        do {
            let without = try await fixture.program.run(["service", "status"])
            #expect(without.status == 3)
            let line = try #require(
                without.run.output.split(separator: "\n").first { $0.hasPrefix("worker confinement: ") })
            #expect(line.contains("no new privileges, seccomp, "))
            #expect(line.contains("not dumpable"))
            try await fixture.run("list")
            #expect(try await fixture.run("service", "status").contains(line))
            let json = try await fixture.json("service", "status")["workerConfinement"] as? String
            #expect(json == String(line.dropFirst("worker confinement: ".count)))
        } catch {
            await fixture.end()
            throw error
        }
        await fixture.end()
    }
}
