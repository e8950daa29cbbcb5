// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
package import TransferModel

/// A channel to the daemon over the session bus. The bus starts the daemon if it is not running.
///
/// A call that changes something returns after the daemon has saved the change, so the program may end right after
/// the call. Each call waits at most ``Options/callTimeout``.
///
/// If the daemon crashes or is upgraded, the channel opens the sessions again and resends every unanswered call. The
/// program notices only a pause.
package final class DaemonChannel: SessionChannel {
    /// The address and time limits of the channel, and the properties of the program that the daemon needs.
    package struct Options: Sendable {
        /// Returns the address of the bus. Called each time that a connection is made.
        package var address: @Sendable () -> String? = { BusConnection.sessionBusAddress() }
        /// Returns the command with which the daemon starts this program for its sessions. The first word is an
        /// absolute path. Called each time that a session is opened.
        ///
        /// A program that owns an activatable bus name needs no command.
        package var relaunchCommand: @Sendable () -> [String]? = {
            BackgroundApplication.shared.effectiveRelaunchCommand
        }
        /// Returns whether the user is working with this program. Called each time that a session is opened.
        package var isInFront: @Sendable () -> Bool = { BackgroundApplication.shared.isInFront }
        /// Receives, each time that a session is opened, whether the daemon assumes that the user is working with
        /// this program.
        package var storeInFront: @Sendable (Bool) -> Void = { BackgroundApplication.shared.storeInFront($0) }
        /// Returns the shared containers whose sessions this program is started for. Called each time that a session
        /// is opened.
        package var containers: @Sendable () -> Set<String>? = {
            BackgroundApplication.shared.sharedContainerIdentifiers
        }
        /// The time limit for opening a session. The default is 25 seconds.
        ///
        /// The value is GDBus's own limit for any call, because the bus may have to start the daemon during login. If
        /// the bus cannot start the daemon, the opening fails immediately.
        package var openTimeout = Duration.seconds(25)
        /// The time that a call waits for the daemon's reply. The default is 10 seconds. The daemon carries out the
        /// order even if it takes longer.
        package var callTimeout = Duration.seconds(10)
        /// The time for which the channel tries to reconnect to a missing daemon before it invalidates the sessions.
        /// The default is 60 seconds.
        package var reconnectTimeout = Duration.seconds(60)

        /// Creates options for the session bus that this process's environment names.
        package init() {}
    }

    /// The channel for all sessions that did not choose another.
    package static let shared = DaemonChannel()

    private let options: Options
    private let link: DaemonLink

    /// Creates a channel. The channel does not connect to the bus before the first session is opened.
    package init(options: Options = Options()) {
        self.options = options
        link = DaemonLink(options)
    }

    // MARK: Sessions

    package func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession {
        let pendingResult = BlockingResult<Result<OpenedSession, SessionError>>()
        var opening = OpeningOptions(registration: options.relaunchCommand().map(AppRegistration.command))
        opening.containers = options.containers()
        let settings = configuration.settings
        link.perform { [opening] in $0.open(settings, opening) { pendingResult.fulfill($0) } }
        // The link has the same limit and reports a better message.
        guard let result = pendingResult.wait(atMost: options.openTimeout + .seconds(1)) else {
            let identifier = settings.identifier
            link.perform { $0.abandon(identifier) }
            throw .unreachable("it does not respond")
        }
        var opened = try result.get()
        for index in opened.tasks.indices where opened.tasks[index].mayLackBody {
            opened.tasks[index].request.body = try body(ofTask: opened.tasks[index].identifier, in: settings.identifier)
        }
        return opened
    }

    /// Requests the body of a task. Closes the session if the daemon does not reply, because the task would be
    /// incomplete.
    private func body(ofTask number: Int, in session: String) throws(SessionError) -> [UInt8]? {
        let pendingResult = BlockingResult<Result<[UInt8]?, SessionError>>()
        link.perform { $0.requestBody(ofTask: number, in: session) { pendingResult.fulfill($0) } }
        let result = pendingResult.wait(atMost: options.openTimeout) ?? .failure(.unreachable("it does not respond"))
        if case .failure = result { close(session) }
        return try result.get()
    }

    package func post(_ order: TaskOrder, in session: String) {
        var fields = order.fields
        var file: OpenFile?
        // The open file is passed along. The daemon then keeps it whatever happens to its name, and a sandboxed
        // program may have no valid path to name. The daemon reports a file that cannot be opened.
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
            throw .unreachable("its reply cannot be read: \(error)")
        }
    }

    package func explanation(ofTask task: Int, in session: String) async throws(SessionError) -> WaitExplanation? {
        let result = await withCheckedContinuation { continuation in
            let call = SessionCall("Explain", [.integer(Int64(task))], type: "(x)") {
                continuation.resume(returning: $0)
            }
            link.perform { $0.add(call, in: session) }
        }
        guard let fields = try result.get().first?.dictionary, !fields.isEmpty else { return nil }
        do { return try WaitExplanation(fields) } catch {
            throw .unreachable("its reply cannot be read: \(error)")
        }
    }

    /// Calls a method of a session's object and waits for the reply, for at most the time that the options allow.
    private func call(
        _ method: String, _ arguments: [VariantValue], type: String, in session: String, about order: TaskOrder? = nil,
        acknowledging number: EventNumber? = nil, file: OpenFile? = nil
    ) {
        let pendingResult = BlockingResult<Void>()
        let call = SessionCall(method, arguments, type: type, order: order, acknowledges: number, file: file) { _ in
            pendingResult.fulfill(())
        }
        link.perform { link in
            if !link.add(call, in: session) { pendingResult.fulfill(()) }
        }
        _ = pendingResult.wait(atMost: options.callTimeout)
    }

    // MARK: The app

    /// Reports whether the user is working with this program.
    package func setInFront(_ isInFront: Bool) {
        link.perform { $0.setInFront(isInFront) }
    }

    /// Disconnects from the bus, as the end of the process would.
    package func leave() {
        let pendingResult = BlockingResult<Void>()
        link.perform { link in
            link.leave()
            pendingResult.fulfill(())
        }
        _ = pendingResult.wait(atMost: options.callTimeout)
    }

    /// Acquires a well-known bus name and handles the daemon's calls on it.
    ///
    /// The daemon identifies this program by the name and has the bus start the program by it. The daemon calls the
    /// program there if a session needs it.
    ///
    /// - Parameters:
    ///   - name: The bus name.
    ///   - handle: Receives the identifier of a session. Called on a thread that must not be blocked.
    /// - Throws: `SessionError` if the bus cannot be reached, or if another program owns the name.
    package func serve(
        as name: String, _ handle: @escaping @Sendable (_ session: String) -> Void
    ) throws(SessionError) {
        let pendingResult = BlockingResult<SessionError?>()
        link.perform { $0.serve(as: name, handle) { pendingResult.fulfill($0) } }
        guard let result = pendingResult.wait(atMost: options.openTimeout) else {
            throw .unreachable("the bus does not respond")
        }
        if let result { throw result }
    }
}

extension SessionError {
    /// Returns the error for a daemon that cannot be reached, with a message that says what to do.
    static func unreachable(_ why: String) -> SessionError {
        SessionError(
            code: .unavailable,
            message: """
                Background sessions need the daemon transferd, which cannot be reached on the session bus: \(why). \
                'transferctl service status' shows whether the daemon is running; 'transferctl service install' \
                installs it.
                """)
    }
}
