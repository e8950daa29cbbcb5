// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
package import TransferModel

/// Sessions that the daemon carries out: over the session bus, which starts it where it does not run.
///
/// Calls that change something return when the daemon has saved the change, so that the program may end right after them.
/// Where the daemon is gone, by a crash or an upgrade, the sessions are opened again and what it had not answered is sent
/// again; the program sees nothing of that but a pause.
package final class DaemonChannel: SessionChannel {
    /// How the daemon is reached, and how long is waited for it.
    package struct Options: Sendable {
        /// The bus's address; asked each time a connection is made.
        package var address: @Sendable () -> String? = { BusConnection.sessionBusAddress() }
        /// The words by which the daemon starts this program for its sessions, an absolute path first; asked at each opening.
        /// A program that owns a name which the bus can start needs none.
        package var relaunchCommand: @Sendable () -> [String]? = {
            BackgroundApplication.shared.effectiveRelaunchCommand
        }
        /// Whether a person works with this program; asked at each opening.
        package var isInFront: @Sendable () -> Bool = { BackgroundApplication.shared.isInFront }
        /// Told at each opening whether the daemon thinks that a person works with this program.
        package var noteInFront: @Sendable (Bool) -> Void = { BackgroundApplication.shared.noteInFront($0) }
        /// The shared containers whose sessions this program is started for; asked at each opening.
        package var containers: @Sendable () -> Set<String>? = {
            BackgroundApplication.shared.sharedContainerIdentifiers
        }
        /// How long the opening of a session may take: what GDBus gives any call, since the bus may have to start the daemon
        /// on a machine that is just being logged in to. Where nobody can start it, that is known at once.
        package var openLimit = Duration.seconds(25)
        /// How long a call waits for the daemon's answer. The order is carried out later where it takes longer.
        package var patience = Duration.seconds(10)
        /// How long the daemon is looked for before its sessions are given up.
        package var givingUpAfter = Duration.seconds(60)

        /// The session bus of this process's environment.
        package init() {}
    }

    /// The way for all sessions that did not choose another.
    package static let shared = DaemonChannel()

    private let options: Options
    private let link: DaemonLink

    /// A way; the bus is not touched before the first session.
    package init(options: Options = Options()) {
        self.options = options
        link = DaemonLink(options)
    }

    // MARK: Sessions

    package func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession {
        let answer = BlockingAnswer<Result<OpenedSession, SessionError>>()
        var opening = OpeningOptions(registration: options.relaunchCommand().map(AppRegistration.command))
        opening.containers = options.containers()
        let settings = configuration.settings
        link.perform { [opening] in $0.open(settings, opening) { answer.give($0) } }
        // The link has its own limit, and a better word.
        guard let result = answer.wait(atMost: options.openLimit + .seconds(1)) else {
            let identifier = settings.identifier
            link.perform { $0.abandon(identifier) }
            throw .unreachable("it does not answer")
        }
        return try result.get()
    }

    package func post(_ order: TaskOrder, in session: String) {
        var fields = order.fields
        var file: OpenFile?
        // The file itself goes along: the daemon keeps it, whatever becomes of its name, and a program in a sandbox may
        // name no path. One that cannot be opened is the daemon's to complain about.
        if case .submit(let snapshot) = order, case .upload(let path) = snapshot.kind, let opened = OpenFile(path),
            var task = fields["snapshot"]?.dictionary
        {
            task["upload-fd"] = .handle(0)
            fields["snapshot"] = .dictionary(task)
            file = opened
        }
        call("Post", [.dictionary(fields)], type: "(a{sv})", in: session, about: order, file: file)
    }

    package func acknowledge(_ number: EventNumber, in session: String) {
        call("Acknowledge", [.integer(number)], type: "(x)", in: session, acknowledging: number)
    }

    package func close(_ session: String) { call("Close", [], type: "()", in: session) }

    package func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot] {
        let result = await withCheckedContinuation { continuation in
            let call = SessionCall("Tasks", [], type: "()") { continuation.resume(returning: $0) }
            link.perform { $0.add(call, in: session) }
        }
        let values = try result.get()
        do { return try (values.first?.items ?? []).map { try TaskSnapshot($0.dictionary ?? [:]) } } catch {
            throw .unreachable("it answers what cannot be read: \(error)")
        }
    }

    /// Calls a method of a session's object, and waits for the answer as long as that is reasonable.
    private func call(
        _ method: String, _ arguments: [VariantValue], type: String, in session: String, about order: TaskOrder? = nil,
        acknowledging number: EventNumber? = nil, file: OpenFile? = nil
    ) {
        let answer = BlockingAnswer<Void>()
        let call = SessionCall(method, arguments, type: type, order: order, acknowledges: number, file: file) { _ in
            answer.give(())
        }
        link.perform { link in
            if !link.add(call, in: session) { answer.give(()) }
        }
        _ = answer.wait(atMost: options.patience)
    }

    // MARK: The app

    /// Says whether a person works with this program just now.
    package func setInFront(_ isInFront: Bool) {
        link.perform { $0.setInFront(isInFront) }
    }

    /// Leaves the bus, as the end of the process would.
    package func leave() {
        let answer = BlockingAnswer<Void>()
        link.perform { link in
            link.leave()
            answer.give(())
        }
        _ = answer.wait(atMost: options.patience)
    }

    /// Takes a well-known name, by which the daemon knows this program and has the bus start it, and is called there when a
    /// session needs it.
    ///
    /// - Parameter handle: told a session's identifier, on a thread that is not to be blocked.
    /// - Throws: `SessionError` where the bus cannot be reached, or the name is another's.
    package func serve(
        as name: String, _ handle: @escaping @Sendable (_ session: String) -> Void
    ) throws(SessionError) {
        let answer = BlockingAnswer<SessionError?>()
        link.perform { $0.serve(as: name, handle) { answer.give($0) } }
        guard let result = answer.wait(atMost: options.openLimit) else { throw .unreachable("the bus does not answer") }
        if let result { throw result }
    }
}

extension SessionError {
    /// The daemon cannot be reached, and what can be done.
    static func unreachable(_ why: String) -> SessionError {
        SessionError(
            code: .unavailable,
            message: """
                Background sessions need the daemon transferd on the session bus, and it cannot be reached: \(why). \
                'transferctl service status' says whether it runs, 'transferctl service install' has the bus start it.
                """)
    }
}
