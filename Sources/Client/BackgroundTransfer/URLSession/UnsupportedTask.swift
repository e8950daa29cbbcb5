// SPDX-License-Identifier: Apache-2.0

/// The kinds of task that depend on the running program, which a background session refuses.
enum UnsupportedTask {
    case inMemory
    case uploadWithoutFile
    case completionHandler
    case awaited

    /// Ends the program if `session` is a background session.
    func refuse(in session: URLSession) {
        orMisused { () throws(SessionError) in try check(session) }
    }

    /// Throws the refusal if `session` is a background session.
    func check(_ session: URLSession) throws(SessionError) {
        if let background = session.background { throw error(in: background.configuration.identifier) }
    }

    /// Returns the refusal, with a message that names the remedy.
    func error(in session: String) -> SessionError {
        let (what, instead) =
            switch self {
            case .inMemory: ("Data tasks, which keep data in memory,", "Use a download task")
            case .uploadWithoutFile: ("Uploads from memory or a stream", "Write the data to a file and upload that")
            case .completionHandler: ("Completion handlers", "Use the delegate's methods")
            case .awaited:
                ("Methods that return the answer", "Create a task, and use the delegate's methods")
            }
        return SessionError(
            code: .unsupportedTask,
            message: """
                \(what) would end with the program, so the background session '\(session)' does not accept them. \
                \(instead).
                """)
    }
}
