// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("Explanations of the waits of tasks")
struct TaskExplainerTests {
    @Test("A8: a task's conditions reach the engine, survive a restart, and explain its wait")
    func conditions() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        let date = HostFixture.start.wall.advanced(by: .seconds(3600))
        let deadline = date.advanced(by: .seconds(3600))
        let fixture = HostFixture(disks)
        try await fixture.run {
            let state = try await fixture.host.open(.named(), by: app.client)
            #expect(state.namedFilesFolder == "/tmp/org.example.App/named/\(app.key().identifier)")
            var snapshot = TaskSnapshot.download(1)
            snapshot.name = TaskName(id: "a", fingerprint: "f")
            var conditions = TaskConditions()
            conditions.isDiscretionary = true
            (conditions.constraints.notBefore, conditions.constraints.deadline) = (date, deadline)
            conditions.constraints.power = .ac
            snapshot.conditions = conditions
            try await fixture.host.post(.submit(snapshot), in: app.key(), from: app.client.name)
            _ = await fixture.transfer(1, app.key())
        }
        let traits = disks.transfers.transfers.last?.specification.traits
        #expect(traits?.kind == .discretionary && traits?.constraints.deadline?.date == deadline)
        #expect(traits?.constraints.notBefore?.date == date && traits?.constraints.power == .ac)
        let again = HostFixture(disks)
        try await again.run {
            let explainer = TaskExplainer(host: again.host) { .utc }
            let explanation = await explainer.explanation(ofTask: 1, in: app.key())
            #expect(explanation?.reasons.contains { $0.code == "notBefore" } == true)
            #expect(explanation?.sentence.contains("not before") == true)
            #expect(await explainer.explanation(ofTask: 2, in: app.key()) == nil)
        }
    }

    @Test("a running task waits for nothing, and a sandboxed program gets no folder")
    func running() async throws {
        let app = FakeApp { $0.isSandboxed = true }
        let fixture = HostFixture()
        try await fixture.run {
            let state = try await fixture.host.open(.named(), by: app.client)
            #expect(state.namedFilesFolder == nil)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            _ = await fixture.running(1, app.key())
            let explanation = await TaskExplainer(host: fixture.host) { .utc }.explanation(ofTask: 1, in: app.key())
            #expect(explanation == nil)
        }
    }
}
