// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "service status", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ServiceStatusTests {
    @Test("C11: it names what the kernel offers to confine workers, in words and in JSON, with and without a daemon")
    func confinement() async throws {
        let rig = try await DaemonRig()
        do {
            let without = try rig.program.run(["service", "status"])
            #expect(without.status == 3)
            let line = try #require(
                without.run.output.split(separator: "\n").first { $0.hasPrefix("Worker confinement: ") })
            #expect(line.contains("no new privileges, seccomp, "))
            #expect(line.contains("not dumpable"))
            try rig.run("list")
            #expect(try rig.run("service", "status").contains(line))
            let json = try rig.json("service", "status")["workerConfinement"] as? String
            #expect(json == String(line.dropFirst("Worker confinement: ".count)))
        } catch {
            await rig.end()
            throw error
        }
        await rig.end()
    }
}
