// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferSessions

/// A monitor of the applications that a person works with, as reported by the desktops on the bus. Uses the portals'
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
        /// Whether a query is unanswered, and whether the pending answer may already be outdated.
        var isAsked = false
        var isToBeAskedAgain = false
        let cancellation = Cancellation()
    }

    private let connection: ServerConnection
    private let names: NameOwners
    private let callers: CallerRegistry
    private let service: any SessionService
    private var present: [String: Desktop] = [:]
    private var book = WindowBook()
    /// The windows that the service received last, and the most recent task that reports windows.
    private var told: [String: WindowFocus] = [:]
    private var telling: Task<Void, Never>?

    /// The prefix of desktops' names. A query determines whether a desktop reports applications.
    private static let prefix = "org.freedesktop.impl.portal.desktop."
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.impl.portal.Background"
    private static let changed = "RunningApplicationsChanged"

    /// Creates a monitor that follows no desktop and reports windows to `service`.
    init(
        over connection: ServerConnection, names: NameOwners, callers: CallerRegistry,
        telling service: any SessionService
    ) {
        (self.connection, self.names, self.callers, self.service) = (connection, names, callers, service)
    }

    /// Follows a desktop that has taken its name. Ignores a program in a sandbox, whatever name it takes (rule C13).
    func note(_ name: String, of owner: String) {
        guard name.hasPrefix(Self.prefix) else { return }
        callers.identify(owner) { caller in
            // The name may have changed owners during the identification.
            guard let caller, !caller.isSandboxed, self.names.book.owns(owner, name) else { return }
            self.follow(name, of: owner)
        }
    }

    private func follow(_ name: String, of owner: String) {
        guard present[name]?.owner != owner, let bus = connection.bus else { return }
        let registration = bus.subscribe(
            to: Self.changed, of: Self.interface, at: Self.path, sender: owner
        ) { _ in self.ask(name) }
        present[name] = Desktop(owner: owner, registrations: [registration])
        if name == Self.prefix + "gnome" { followShell(behind: name, on: bus) }
        ask(name)
    }

    /// Follows the focus in GNOME. The portal signals only windows that open and close. The shell also signals the
    /// focus, but answers queries only from the portal. The bus preserves the order of messages, so the portal knows
    /// the new state before the query arrives.
    private func followShell(behind name: String, on bus: BusConnection) {
        let registration = bus.subscribe(
            to: Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect",
            sender: "org.gnome.Shell"
        ) { _ in self.ask(name) }
        present[name]?.registrations.append(registration)
    }

    /// Stops following a desktop whose name has no owner or a new owner.
    func forget(_ name: String) {
        guard let desktop = present.removeValue(forKey: name) else { return }
        desktop.cancellation.cancel()
        book.forget(name)
        tell()
    }

    /// Stops following all desktops and reports nothing, because the server is ending.
    func forgetAll() { (present, book, told, telling) = ([:], WindowBook(), [:], nil) }

    /// Queries a desktop's applications. Only one query runs at a time; changes during the query trigger a single
    /// further query.
    private func ask(_ name: String) {
        guard let desktop = present[name], let bus = connection.bus else { return }
        guard !desktop.isAsked else {
            present[name]?.isToBeAskedAgain = true
            return
        }
        present[name]?.isAsked = true
        // The closure must not keep the desktop's registrations alive until the answer arrives.
        let owner = desktop.owner
        bus.ask(
            "GetAppState", of: Self.interface, at: Self.path, service: owner, cancellation: desktop.cancellation
        ) { self.answered(name, owner, $0) }
    }

    private func answered(_ name: String, _ owner: String, _ result: Result<[VariantValue], GLibError>) {
        guard let desktop = present[name], desktop.owner == owner else { return }
        present[name]?.isAsked = false
        present[name]?.isToBeAskedAgain = false
        if case .success(let values) = result, case .dictionary(let states)? = values.first {
            book.take(states, from: name)
        } else {
            // The desktop does not know its applications, or does not manage any.
            book.forget(name)
        }
        tell()
        if desktop.isToBeAskedAgain { ask(name) }
    }

    /// Reports changed windows to the service, one report after another.
    private func tell() {
        let windows = book.windows
        guard windows != told else { return }
        told = windows
        telling = Task { [service, earlier = telling] in
            await earlier?.value
            await service.noteWindows(windows)
        }
    }
}
