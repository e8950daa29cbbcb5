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
                <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
                """, reply: { service, _ in [.integer(Int64(service.calls.count))] }))

    var notifications: [(title: String, body: String, buttons: [String])] {
        get async {
            await service.calls.map { call in
                guard case .list(let words) = call[5] else { return (call[3].string ?? "", call[4].string ?? "", []) }
                return (call[3].string ?? "", call[4].string ?? "", words.compactMap(\.string))
            }
        }
    }

    /// Presses a button of the notification at `index`.
    func press(_ key: String, of index: Int) async throws {
        try await service.emit(
            "ActionInvoked", of: Self.name, at: "/org/freedesktop/Notifications",
            [.integer(Int64(index + 1)), .string(key)], type: "(us)")
    }

    /// Claims the server's name on the bus at `address`.
    func start(address: String) async throws { try await service.start(address: address, as: Self.name) }

    func stop() async { await service.stop() }
}
