// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Sessions of containers that several programs of one publisher share. Such sessions belong to the app that is
/// registered for the container, whichever program creates them.
extension [SessionKey: Session] {
    /// Returns the key of the session that a program's settings identify: its own session, or the session of its
    /// container's app.
    func key(of settings: SessionSettings, for app: String) throws(SessionRefusal) -> SessionKey {
        let longest = 255
        guard !settings.identifier.isEmpty, settings.identifier.utf8.count <= longest else {
            throw SessionRefusal(
                code: .badIdentifier,
                message: "a session identifier has 1 to \(longest) bytes, not \(settings.identifier.utf8.count)")
        }
        let own = SessionKey(app: app, identifier: settings.identifier)
        // A session with tasks or an open process from before the app's registration still belongs to the program
        // itself.
        guard let container = settings.sharedContainerIdentifier, self[own]?.tasks.isEmpty != false,
            self[own]?.audience.user == nil, let owner = self.app(registeredFor: container)
        else { return own }
        return SessionKey(app: owner, identifier: settings.identifier)
    }

    /// Records the launch method of a session's app, and the containers that the app is started for.
    func register(
        _ user: ClientProcess, as registration: AppRegistration?, in record: inout SessionRecord, of key: SessionKey
    ) {
        guard user.app == key.app else {
            // A helper cannot register the app's launch method.
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

    /// Returns the app that is started for a container's sessions.
    private func app(registeredFor container: String) -> String? {
        Set(keys.map(\.app)).filter { newest(of: $0)?.containers?.contains(container) == true }.min()
    }

    /// Returns the row of the session that an app opened last.
    private func newest(of app: String) -> SessionRecord? {
        filter { $0.key.app == app }.values.map(\.record)
            .max { ($0.lastOpened?.nanosecondsSinceEpoch ?? .min) < ($1.lastOpened?.nanosecondsSinceEpoch ?? .min) }
            .flatMap { $0.lastOpened == nil ? nil : $0 }
    }

    /// Returns a warning for a program that has opened a session; `nil` if there is nothing to warn about.
    func warning(about record: SessionRecord, of key: SessionKey, for user: ClientProcess) -> String? {
        let taken = (user.containers ?? []).subtracting(record.containers ?? []).sorted()
        if user.app == key.app, let container = taken.first {
            return """
                The app '\(key.app)' is not started for sessions of the shared container '\(container)', because \
                '\(app(registeredFor: container) ?? "")' is registered for the container.
                """
        }
        guard record.settings.sendsLaunchEvents, record.registration == nil else { return nil }
        return """
            The app '\(key.app)' cannot be started for its background session '\(key.identifier)', because it has \
            registered neither a bus name nor a command. Its events wait until the user starts the app.
            """
    }
}
