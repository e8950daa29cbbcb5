// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Synchronization

/// A fake desktop portal that reports the states of applications.
struct FakeDesktop {
    /// The application states of `GetAppState`. Real portals send 32-bit numbers in variants. This portal sends
    /// 64-bit numbers, which are read alike.
    enum State: Int64 {
        case background = 0
        case running = 1
        case active = 2
    }

    private final class States: Sendable {
        let values = Mutex<[String: State]>([:])
        /// The states that replace `values` during the next query, or `nil` for no replacement.
        let next = Mutex<[String: State]?>(nil)

        func query() -> (values: [String: State], hasChanged: Bool) {
            let next = next.withLock { next in
                defer { next = nil }
                return next
            }
            return values.withLock { values in
                defer { values = next ?? values }
                return (values, next != nil)
            }
        }
    }

    private static let changed = "RunningApplicationsChanged"

    private static let prefix = "org.freedesktop.impl.portal.desktop."
    private let name: String
    private let states: States
    private let service: FakeService

    /// - Parameters:
    ///   - name: The desktop's name, such as `kde`.
    ///   - states: The initial states of the applications.
    init(_ name: String, _ states: [String: State] = [:]) {
        let shared = States()
        shared.values.withLock { $0 = states }
        self.name = Self.prefix + name
        self.states = shared
        service = FakeService(
            FakeService.Interface(
                name: "org.freedesktop.impl.portal.Background", path: "/org/freedesktop/portal/desktop",
                members: """
                    <method name="GetAppState"><arg type="a{sv}" name="apps" direction="out"/></method>
                    <signal name="RunningApplicationsChanged"/>
                    """,
                reply: { service, _ in
                    let (values, hasChanged) = shared.query()
                    if hasChanged { try? service.emit(Self.changed) }
                    return [.dictionary(values.mapValues { .integer($0.rawValue) })]
                }))
    }

    /// Claims the desktop's name on the bus at `address`.
    func start(address: String) async throws { try await service.start(address: address, as: name) }

    /// Starts a desktop like GNOME: the shell announces changes of the focus, and only the portal replies to queries.
    func startWithShell(address: String) async throws {
        try await service.start(address: address, as: name, "org.gnome.Shell")
    }

    /// Replaces the reported states and emits the portal's signal.
    ///
    /// - Parameter next: The states that are announced during the next query, before the reply with the current
    ///   states.
    func show(_ states: [String: State], andThen next: [String: State]? = nil) async throws {
        self.states.values.withLock { $0 = states }
        self.states.next.withLock { $0 = next }
        try await service.emit(Self.changed)
    }

    /// Replaces the reported states and announces the change as GNOME Shell does.
    func showByShell(_ states: [String: State]) async throws {
        self.states.values.withLock { $0 = states }
        try await service.emit(
            Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect")
    }

    func stop() async { await service.stop() }
}
