// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Something that a process asks for.
package enum SessionRequest: Sendable {
    /// To join a session, which is made where there is none.
    case open(SessionSettings, SessionUser, AppRegistration?)
    /// To do something with a task. With the kept file of an upload that is submitted, or the reason why there is none.
    case order(TaskOrder, from: String, Result<KeptSource, UnusableTask>?)
    /// To hear of an event no more, since it was dealt with.
    case acknowledge(EventNumber, from: String)
}

/// A request that may be carried out.
package struct Admission: Sendable {
    var request: SessionRequest
    package var key: SessionKey
    /// The rows to save first.
    package var changes: [SessionChange] = []
    /// A change that is not worth a write: after a restart, the app hears something twice that does no harm.
    var unsaved: SessionChange?
    /// Finished files that the app has taken.
    var files: [String] = []
}
