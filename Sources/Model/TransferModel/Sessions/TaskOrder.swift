// SPDX-License-Identifier: Apache-2.0

/// An action that an app requests for a task.
package enum TaskOrder: Hashable, Sendable, Codable {
    /// Submits a new task.
    case submit(TaskSnapshot)
    /// Suspends the task until the app resumes it.
    case suspend(Int)
    case resume(Int)
    case cancel(Int)
    /// Cancels the task, and keeps its bytes for a new task created from its resume data.
    case cancelKeeping(Int, token: String)
    /// Changes the settings that the app gave when it submitted the task.
    case change(TaskSnapshot)
    /// The app's reply to `SessionEvent.Kind.willBegin`.
    case begin(Int, DelayedBegin)
    /// The app's reply to `SessionEvent.Kind.challenged`.
    case answer(Int, ChallengeReply)

    /// The identifier of the task.
    package var task: Int {
        switch self {
        case .submit(let snapshot), .change(let snapshot): snapshot.identifier
        case .suspend(let task), .resume(let task), .cancel(let task), .cancelKeeping(let task, _), .begin(let task, _),
            .answer(let task, _):
            task
        }
    }
}

/// The app's decision about a delayed task whose date has come.
package enum DelayedBegin: Hashable, Sendable, Codable {
    /// The task begins with the original request.
    case asBefore
    /// The task begins with another request.
    case with(RequestDescription)
    /// The task is canceled.
    case cancel
    /// The app makes no decision. The daemon need not request a decision, or launch the app, for delayed tasks of the
    /// session.
    case unasked
}

/// An app's reply to a server that requires a login.
package enum ChallengeReply: Hashable, Sendable, Codable {
    case credential(user: String, password: String)
    /// A token for a server that requires one. The text satisfies ``isToken(_:)``.
    case token(String)
    /// No credentials. The server's refusal is the response.
    case none
    /// The task ends.
    case cancel

    /// The maximum length of a token, in bytes. No server accepts longer header fields, and most accept less.
    package static let longestToken = 16 << 10

    /// Returns whether `text` can be a token: letters, digits, some punctuation, and padding (RFC 6750 §2.1).
    ///
    /// A header field cannot interpret a token as anything else.
    package static func isToken(_ text: String) -> Bool {
        let padded = text.utf8.count
        var letters = text.utf8[...]
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return !letters.isEmpty && padded <= longestToken
            && letters.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/".utf8.contains(byte)
                }
            }
    }
}
