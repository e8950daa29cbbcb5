// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferSessions

/// Learning from the desktop which applications a person works with: from the portals' background interface
/// (https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.impl.portal.Background.html). No desktop is
/// started for that, and none is asked but when something has changed.
extension BusServer {
    /// What there is of desktops.
    struct Desktops {
        /// Those on the bus, by their names.
        fileprivate var present: [String: Desktop] = [:]
        fileprivate var book = WindowBook()
        /// What was told last of what they tell, and the end of telling that.
        fileprivate var told: [String: WindowFocus] = [:]
        fileprivate var telling: Task<Void, Never>?
    }

    /// A desktop that is on the bus.
    fileprivate struct Desktop {
        /// Its unique name there.
        var owner: String
        var registrations: [BusRegistration]
        /// Whether its answer is on its way, and whether that may be old by now.
        var isAsked = false
        var isToBeAskedAgain = false
        let cancellation = Cancellation()
    }

    /// The names of desktops begin so; which of them tell of applications is found out by asking.
    private static let desktopPrefix = "org.freedesktop.impl.portal.desktop."
    private static let desktopPath = "/org/freedesktop/portal/desktop"
    private static let backgroundInterface = "org.freedesktop.impl.portal.Background"
    private static let changed = "RunningApplicationsChanged"

    /// Follows a desktop that has taken its name. A program in a sandbox is none, whatever name it takes (rule C13).
    func noteDesktop(_ name: String, of owner: String) {
        guard name.hasPrefix(Self.desktopPrefix) else { return }
        identify(owner) { server, caller in
            // The name may have changed hands while its owner was identified.
            guard let caller, !caller.isSandboxed, server.names.owns(owner, name) else { return }
            server.follow(desktop: name, of: owner)
        }
    }

    private func follow(desktop name: String, of owner: String) {
        guard desktops.present[name]?.owner != owner, let bus else { return }
        let registration = bus.subscribe(
            to: Self.changed, of: Self.backgroundInterface, at: Self.desktopPath, sender: owner
        ) { _ in self.assumeIsolated { $0.askDesktop(name) } }
        desktops.present[name] = Desktop(owner: owner, registrations: [registration])
        if name == Self.desktopPrefix + "gnome" { followShell(behind: name, on: bus) }
        askDesktop(name)
    }

    /// GNOME's portal tells of windows that come and go. Of the focus only its shell tells, which hears nobody but the
    /// portal; the portal has what is new by the time that it is asked, as the bus keeps the order.
    private func followShell(behind name: String, on bus: BusConnection) {
        let registration = bus.subscribe(
            to: Self.changed, of: "org.gnome.Shell.Introspect", at: "/org/gnome/Shell/Introspect",
            sender: "org.gnome.Shell"
        ) { _ in self.assumeIsolated { $0.askDesktop(name) } }
        desktops.present[name]?.registrations.append(registration)
    }

    /// A name is owned no longer, or by another.
    func forgetDesktop(_ name: String) {
        guard let desktop = desktops.present.removeValue(forKey: name) else { return }
        desktop.cancellation.cancel()
        desktops.book.forget(name)
        tellWindows()
    }

    /// One question at a time: what changes meanwhile is asked for afterwards, once.
    private func askDesktop(_ name: String) {
        guard let desktop = desktops.present[name], let bus else { return }
        guard !desktop.isAsked else {
            desktops.present[name]?.isToBeAskedAgain = true
            return
        }
        desktops.present[name]?.isAsked = true
        let owner = desktop.owner
        bus.ask(
            "GetAppState", of: Self.backgroundInterface, at: Self.desktopPath, service: owner,
            cancellation: desktop.cancellation
        ) { result in self.assumeIsolated { $0.answered(name, owner, result) } }
    }

    private func answered(_ name: String, _ owner: String, _ result: Result<[VariantValue], GLibError>) {
        guard let desktop = desktops.present[name], desktop.owner == owner else { return }
        desktops.present[name]?.isAsked = false
        desktops.present[name]?.isToBeAskedAgain = false
        if case .success(let values) = result, case .dictionary(let states)? = values.first {
            desktops.book.take(states, from: name)
        } else {
            // It does not know, or has nothing to do with applications.
            desktops.book.forget(name)
        }
        tellWindows()
        if desktop.isToBeAskedAgain { askDesktop(name) }
    }

    /// Tells what is new, one thing after the other.
    private func tellWindows() {
        let windows = desktops.book.windows
        guard windows != desktops.told else { return }
        desktops.told = windows
        desktops.telling = Task { [service, earlier = desktops.telling] in
            await earlier?.value
            await service.sessions.noteWindows(windows)
        }
    }
}
