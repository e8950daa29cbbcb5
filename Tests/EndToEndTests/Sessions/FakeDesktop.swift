// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Synchronization

/// A desktop's portal that tells how applications stand.
struct FakeDesktop {
    /// As `GetAppState` has them. Real ones are 32-bit numbers inside of variants, those here 64-bit ones: they are read alike.
    enum State: Int64 {
        case background = 0
        case running = 1
        case active = 2
    }

    private final class States: Sendable {
        let values = Mutex<[String: State]>([:])
        /// What takes their place while they are asked for.
        let next = Mutex<[String: State]?>(nil)

        func take() -> (values: [String: State], hasChanged: Bool) {
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
    private let service: PlayedService

    /// - Parameters:
    ///   - name: which desktop's it is, such as `kde`.
    ///   - states: how applications stand at first.
    init(_ name: String, _ states: [String: State] = [:]) {
        let shared = States()
        shared.values.withLock { $0 = states }
        self.name = Self.prefix + name
        self.states = shared
        service = PlayedService(
            PlayedService.Interface(
                name: "org.freedesktop.impl.portal.Background", path: "/org/freedesktop/portal/desktop",
                members: """
                    <method name="GetAppState"><arg type="a{sv}" name="apps" direction="out"/></method>
                    <signal name="RunningApplicationsChanged"/>
                    """,
                answer: { service, _ in
                    let (values, hasChanged) = shared.take()
                    if hasChanged { try? service.emit(Self.changed) }
                    return [.dictionary(values.mapValues { .integer($0.rawValue) })]
                }))
    }

    /// Takes the desktop's name on the bus at `address`, and others.
    func start(address: String) async throws { try await service.start(address: address, as: name) }

    /// The same as GNOME has it, where the shell tells of the focus, and the portal alone is asked for it.
    func startWithShell(address: String) async throws {
        try await service.start(address: address, as: name, "org.gnome.Shell")
    }

    /// What it lists from now on, of which it tells.
    ///
    /// - Parameter next: what it lists, and tells of, as soon as it was asked for that and before it answers.
    func show(_ states: [String: State], andThen next: [String: State]? = nil) async throws {
        self.states.values.withLock { $0 = states }
        self.states.next.withLock { $0 = next }
        try await service.emit(Self.changed)
    }

    /// The same where the shell alone tells that something has changed.
    func showByShell(_ states: [String: State]) async throws {
        self.states.values.withLock { $0 = states }
        try await service.emit(
            Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect")
    }

    func stop() async { await service.stop() }
}
