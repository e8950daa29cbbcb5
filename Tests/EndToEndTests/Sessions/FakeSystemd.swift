// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A manager of units that keeps what it is asked to start.
struct FakeSystemd {
    private let service = PlayedService(
        PlayedService.Interface(
            name: "org.freedesktop.systemd1.Manager", path: "/org/freedesktop/systemd1",
            members: """
                <method name="StartTransientUnit">
                  <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a(sv)" direction="in"/>
                  <arg type="a(sa(sv))" direction="in"/><arg type="o" direction="out"/>
                </method>
                """, answer: { _, _ in [.string("/org/freedesktop/systemd1/job/1")] }))

    var calls: [[VariantValue]] { get async { await service.calls } }

    /// Takes the name on the bus at `address`.
    func start(address: String) async throws {
        try await service.start(address: address, as: "org.freedesktop.systemd1")
    }

    func stop() async { await service.stop() }
}
