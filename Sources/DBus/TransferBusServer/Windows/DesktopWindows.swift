// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferSessions

/// The desktops on the bus, and what they tell of the applications that a person works with: by the portals' background
/// interface (https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.impl.portal.Background.html).
///
/// No desktop is started for that, and none is asked but when something has changed. Used on the server's thread only.
final class DesktopWindows {
    /// A desktop that is on the bus.
    private struct Desktop {
        /// Its unique name there.
        var owner: String
        var registrations: [BusRegistration]
        /// Whether its answer is on its way, and whether that may be old by now.
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
    /// The windows that the service was told of last, and the end of telling it.
    private var told: [String: WindowFocus] = [:]
    private var telling: Task<Void, Never>?

    /// The names of desktops begin so; which of them tell of applications is found out by asking.
    private static let prefix = "org.freedesktop.impl.portal.desktop."
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.impl.portal.Background"
    private static let changed = "RunningApplicationsChanged"

    /// No desktop; `service` is told of the windows.
    init(
        over connection: ServerConnection, names: NameOwners, callers: CallerRegistry,
        telling service: any SessionService
    ) {
        (self.connection, self.names, self.callers, self.service) = (connection, names, callers, service)
    }

    /// Follows a desktop that has taken its name. A program in a sandbox is none, whatever name it takes (rule C13).
    func note(_ name: String, of owner: String) {
        guard name.hasPrefix(Self.prefix) else { return }
        callers.identify(owner) { caller in
            // The name may have changed hands while its owner was identified.
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

    /// GNOME's portal tells of windows that come and go. Of the focus only its shell tells, which hears nobody but the
    /// portal; the portal has what is new by the time that it is asked, as the bus keeps the order.
    private func followShell(behind name: String, on bus: BusConnection) {
        let registration = bus.subscribe(
            to: Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect",
            sender: "org.gnome.Shell"
        ) { _ in self.ask(name) }
        present[name]?.registrations.append(registration)
    }

    /// A name is owned no longer, or by another.
    func forget(_ name: String) {
        guard let desktop = present.removeValue(forKey: name) else { return }
        desktop.cancellation.cancel()
        book.forget(name)
        tell()
    }

    /// Follows no desktop any more, and tells nothing: the server ends.
    func forgetAll() { (present, book, told, telling) = ([:], WindowBook(), [:], nil) }

    /// One question at a time: what changes meanwhile is asked for afterwards, once.
    private func ask(_ name: String) {
        guard let desktop = present[name], let bus = connection.bus else { return }
        guard !desktop.isAsked else {
            present[name]?.isToBeAskedAgain = true
            return
        }
        present[name]?.isAsked = true
        // Its registrations must not live as long as the answer takes.
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
            // It does not know, or has nothing to do with applications.
            book.forget(name)
        }
        tell()
        if desktop.isToBeAskedAgain { ask(name) }
    }

    /// Tells what is new, one thing after the other.
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
