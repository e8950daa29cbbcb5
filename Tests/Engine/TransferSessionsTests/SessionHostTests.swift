// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("The session host")
struct SessionHostTests {
    @Test("L5: an end that only the engine has saved is reported after the restart")
    func endedUnseen() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        let fixture = HostFixture(disks)
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            _ = await fixture.running(1, app.key())
            await fixture.host.disconnected(app.client.name)
        }
        let id = try #require(disks.transfers.transfers.first?.id)
        let failure = TransferFailure(cause: .expired, message: "too late")
        try await InMemoryTransferStore(disk: disks.transfers).commit([.ended(id, .failed(failure))])
        let again = HostFixture(disks)
        let later = FakeApp(process: 101)
        try await again.run {
            _ = try await again.host.open(.named(), by: later.client)
            await again.until("the end") { later.lines.first == "1 completed -1001" }
        }
    }
}
