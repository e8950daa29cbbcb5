// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol

/// A fake notification server that records every notification.
struct FakeNotifications {
    private static let name = "org.freedesktop.Notifications"
    private let service = FakeService(
        FakeService.Interface(
            name: name, path: "/org/freedesktop/Notifications",
            members: """
                <method name="Notify">
                  <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
                  <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
                  <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
                </method>
                """, reply: { _, _ in [.integer(1)] }))

    var notifications: [(title: String, body: String)] {
        get async { await service.calls.map { ($0[3].string ?? "", $0[4].string ?? "") } }
    }

    /// Claims the server's name on the bus at `address`.
    func start(address: String) async throws { try await service.start(address: address, as: Self.name) }

    func stop() async { await service.stop() }
}
