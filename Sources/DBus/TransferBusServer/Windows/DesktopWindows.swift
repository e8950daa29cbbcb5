// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferSessions

/// A monitor of the applications that the user works with, as reported by the desktops on the bus. Uses the portals'
/// background interface
/// (https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.impl.portal.Background.html).
///
/// The monitor starts no desktop. Each desktop is queried when it appears and after its state changes. Used only on
/// the server's thread.
final class DesktopWindows {
    /// A desktop that is on the bus.
    private struct Desktop {
        /// The desktop's unique name on the bus.
        var owner: String
        var registrations: [BusRegistration]
        /// Whether a query is unanswered, and whether the pending reply may already be outdated.
        var isQueried = false
        var needsAnotherQuery = false
        let cancellation = Cancellation()
    }

    private let connection: ServerConnection
    private let names: NameOwners
    private let callers: CallerRegistry
    private let service: any SessionService
    private var desktops: [String: Desktop] = [:]
    private var registry = WindowRegistry()
    /// The windows that the service received last, and the most recent task that reports windows.
    private var lastReported: [String: WindowFocus] = [:]
    private var reporting: Task<Void, Never>?

    /// The prefix of desktops' names. A query determines whether a desktop reports applications.
    private static let prefix = "org.freedesktop.impl.portal.desktop."
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.impl.portal.Background"
    private static let changed = "RunningApplicationsChanged"

    /// Creates a monitor that follows no desktop and reports windows to `service`.
    init(
        over connection: ServerConnection, names: NameOwners, callers: CallerRegistry,
        reporting service: any SessionService
    ) {
        (self.connection, self.names, self.callers, self.service) = (connection, names, callers, service)
    }

    /// Follows a desktop that has acquired its name. Ignores sandboxed programs, regardless of their names (rule C13).
    func ownerChanged(_ name: String, of owner: String) {
        guard name.hasPrefix(Self.prefix) else { return }
        callers.identify(owner) { caller in
            // The name may have changed owners during the identification.
            guard let caller, !caller.isSandboxed, self.names.registry.owns(owner, name) else { return }
            self.follow(name, of: owner)
        }
    }

    private func follow(_ name: String, of owner: String) {
        guard desktops[name]?.owner != owner, let bus = connection.bus else { return }
        let registration = bus.subscribe(
            to: Self.changed, of: Self.interface, at: Self.path, sender: owner
        ) { _ in self.ask(name) }
        desktops[name] = Desktop(owner: owner, registrations: [registration])
        if name == Self.prefix + "gnome" { followShell(behind: name, on: bus) }
        ask(name)
    }

    /// Follows the focus in GNOME. The portal signals only windows that open and close. The shell also signals the
    /// focus, but replies to queries only from the portal. The bus preserves the order of messages, so the portal knows
    /// the new state before the query arrives.
    private func followShell(behind name: String, on bus: BusConnection) {
        let registration = bus.subscribe(
            to: Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect",
            sender: "org.gnome.Shell"
        ) { _ in self.ask(name) }
        desktops[name]?.registrations.append(registration)
    }

    /// Stops following a desktop whose name has no owner or a new owner.
    func forget(_ name: String) {
        guard let desktop = desktops.removeValue(forKey: name) else { return }
        desktop.cancellation.cancel()
        registry.forget(name)
        report()
    }

    /// Stops following all desktops and reports nothing, because the server is ending.
    func forgetAll() { (desktops, registry, lastReported, reporting) = ([:], WindowRegistry(), [:], nil) }

    /// Queries a desktop's applications. Only one query runs at a time; changes during the query trigger a single
    /// further query.
    private func ask(_ name: String) {
        guard let desktop = desktops[name], let bus = connection.bus else { return }
        guard !desktop.isQueried else {
            desktops[name]?.needsAnotherQuery = true
            return
        }
        desktops[name]?.isQueried = true
        // The closure must not keep the desktop's registrations alive until the reply arrives.
        let owner = desktop.owner
        bus.ask(
            "GetAppState", of: Self.interface, at: Self.path, service: owner, cancellation: desktop.cancellation
        ) { self.handleReply(name, owner, $0) }
    }

    private func handleReply(_ name: String, _ owner: String, _ result: Result<[VariantValue], GLibError>) {
        guard let desktop = desktops[name], desktop.owner == owner else { return }
        desktops[name]?.isQueried = false
        desktops[name]?.needsAnotherQuery = false
        if case .success(let values) = result, case .dictionary(let states)? = values.first {
            registry.update(states, from: name)
        } else {
            // The desktop does not know its applications, or does not manage any.
            registry.forget(name)
        }
        report()
        if desktop.needsAnotherQuery { ask(name) }
    }

    /// Reports changed windows to the service, one report after another.
    private func report() {
        let windows = registry.windows
        guard windows != lastReported else { return }
        lastReported = windows
        reporting = Task { [service, earlier = reporting] in
            await earlier?.value
            await service.updateWindows(windows)
        }
    }
}
