// SPDX-License-Identifier: Apache-2.0

/// What an app wants done with a task.
package enum TaskOrder: Hashable, Sendable, Codable {
    /// Schedule a new one.
    case submit(TaskSnapshot)
    /// It is not to go on until it is resumed.
    case suspend(Int)
    case resume(Int)
    case cancel(Int)
    /// Cancel it, keeping its bytes for a task that is made from what it had.
    case cancelKeeping(Int, token: String)
    /// The app thinks otherwise of what it said when it submitted the task.
    case change(TaskSnapshot)
    /// What the app says to `SessionEvent.Kind.willBegin`.
    case begin(Int, DelayedBegin)
    /// What the app says to `SessionEvent.Kind.challenged`.
    case answer(Int, ChallengeReply)

    /// Whose it is.
    package var task: Int {
        switch self {
        case .submit(let snapshot), .change(let snapshot): snapshot.identifier
        case .suspend(let task), .resume(let task), .cancel(let task), .cancelKeeping(let task, _), .begin(let task, _),
            .answer(let task, _):
            task
        }
    }
}

/// Whether a task that waited for its date is to begin.
package enum DelayedBegin: Hashable, Sendable, Codable {
    /// As it was asked for.
    case asBefore
    /// With another request.
    case with(RequestDescription)
    /// Not at all.
    case cancel
    /// The app has nothing to say: it need not be asked, nor started, for such tasks of the session.
    case unasked
}

/// What an app says to a server that wants a login.
package enum ChallengeReply: Hashable, Sendable, Codable {
    case credential(user: String, password: String)
    /// For a server that wants a token; one that ``isToken(_:)``.
    case token(String)
    /// The server's refusal is its answer.
    case none
    /// The task is to end.
    case cancel

    /// The most bytes of a token: a server takes no more in its header fields, and most take less.
    package static let longestToken = 16 << 10

    /// Whether a text can be a token: letters, digits, a few signs and padding (RFC 6750 §2.1), so that it cannot be read as
    /// anything else in a header field.
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
