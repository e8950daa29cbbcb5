// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Sessions of containers that several programs of one publisher share: they are those of the app that is registered for the
/// container, whichever of the programs makes them.
extension [SessionKey: Session] {
    /// The session that a program means: its own, or that of its container's app.
    func key(of settings: SessionSettings, for app: String) throws(SessionRefusal) -> SessionKey {
        let longest = 255
        guard !settings.identifier.isEmpty, settings.identifier.utf8.count <= longest else {
            throw SessionRefusal(
                code: .badIdentifier,
                message: "a session's identifier has 1 to \(longest) bytes, not \(settings.identifier.utf8.count)")
        }
        let own = SessionKey(app: app, identifier: settings.identifier)
        // What it began before there was such an app stays its own.
        guard let container = settings.sharedContainerIdentifier, self[own]?.tasks.isEmpty != false,
            self[own]?.audience.user == nil, let owner = self.app(registeredFor: container)
        else { return own }
        return SessionKey(app: owner, identifier: settings.identifier)
    }

    /// Takes down how a session's app is started, and for which containers.
    func register(
        _ user: SessionUser, as registration: AppRegistration?, in record: inout SessionRecord, of key: SessionKey
    ) {
        guard user.app == key.app else {
            // A helper's words are no way to start the app.
            let own = newest(of: key.app)
            (record.registration, record.registeredBy) = (own?.registration, own?.registeredBy)
            record.containers = own?.containers
            return
        }
        if let registration { (record.registration, record.registeredBy) = (registration, user.executable) }
        guard let containers = user.containers else {
            record.containers = record.containers ?? newest(of: key.app)?.containers
            return
        }
        record.containers = containers.filter { app(registeredFor: $0) ?? key.app == key.app }
    }

    /// The app that is started for a container's sessions.
    private func app(registeredFor container: String) -> String? {
        Set(keys.map(\.app)).filter { newest(of: $0)?.containers?.contains(container) == true }.min()
    }

    /// What an app said when it opened a session last.
    private func newest(of app: String) -> SessionRecord? {
        filter { $0.key.app == app }.values.map(\.record)
            .max { ($0.lastOpened?.nanosecondsSinceEpoch ?? .min) < ($1.lastOpened?.nanosecondsSinceEpoch ?? .min) }
            .flatMap { $0.lastOpened == nil ? nil : $0 }
    }

    /// What a program should know of a session that it has opened; nil where there is nothing.
    func warning(about record: SessionRecord, of key: SessionKey, for user: SessionUser) -> String? {
        let taken = (user.containers ?? []).subtracting(record.containers ?? []).sorted()
        if user.app == key.app, let container = taken.first {
            return """
                The app '\(key.app)' is not started for sessions of the shared container '\(container)': \
                '\(app(registeredFor: container) ?? "")' is registered for it.
                """
        }
        guard record.settings.sendsLaunchEvents, record.registration == nil else { return nil }
        return """
            The app '\(key.app)' cannot be started for its background session '\(key.identifier)': nobody has said how. \
            What happens while it does not run waits until it is started by somebody.
            """
    }
}
