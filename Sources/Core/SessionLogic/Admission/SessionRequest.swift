// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A request from a process.
package enum SessionRequest: Sendable {
    /// Opens a session, which is created if it does not exist.
    case open(SessionSettings, ClientProcess, AppRegistration?)
    /// Carries out an order for a task. For the submission of an upload, carries the kept file, or the reason why
    /// there is no kept file.
    case order(TaskOrder, from: String, Result<KeptSource, UnusableTask>?)
    /// Acknowledges an event. The app has handled the event and does not receive it again.
    case acknowledge(EventNumber, from: String)
}

/// A request that has passed admission control.
package struct Admission: Sendable {
    var request: SessionRequest
    package var key: SessionKey
    /// The rows to save before the request is carried out.
    package var changes: [SessionChange] = []
    /// A change that is kept in memory only, because it is not worth a write. After a restart, the app receives an
    /// event a second time, which is harmless.
    var unsaved: SessionChange?
    /// The paths of the finished files that the app has claimed.
    var files: [String] = []
}
