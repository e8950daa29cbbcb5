// SPDX-License-Identifier: Apache-2.0

/// A task as an app and whoever carries it out tell each other about it.
package struct TaskSnapshot: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        case download
        /// From the file of that path.
        case upload(path: String)
    }

    package var identifier: Int
    package var kind: Kind
    package var request: RequestDescription
    /// The app's own note.
    package var note: String?
    /// From 0 to 1.
    package var priority: Float = 0.5
    package var earliestBegin: WallTime?
    /// What the app expects, −1 where it does not say.
    package var expectedToSend: Int64 = -1
    package var expectedToReceive: Int64 = -1
    package var isSuspended = false
    package var isOver = false
    package var received: Int64 = 0
    package var sent: Int64 = 0
    /// The whole body's length; nil until it is known.
    package var total: Int64?
    package var response: ResponseDescription?
    /// Names the bytes of an earlier task that this one continues.
    package var continues: String?

    package init(identifier: Int, kind: Kind, request: RequestDescription) {
        self.identifier = identifier
        self.kind = kind
        self.request = request
    }
}

/// A request without a body: an upload's is its file.
package struct RequestDescription: Hashable, Sendable, Codable {
    package var url: String
    package var method: String?
    package var headers: [String: String]
    /// Seconds without a byte; nil where the session's apply.
    package var timeout: Double?
    package var allowsCellularAccess: Bool

    package init(
        url: String, method: String? = nil, headers: [String: String] = [:], timeout: Double? = nil,
        allowsCellularAccess: Bool = true
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.timeout = timeout
        self.allowsCellularAccess = allowsCellularAccess
    }
}

/// A server's answer without its body.
package struct ResponseDescription: Hashable, Sendable, Codable {
    package var url: String
    package var status: Int
    package var headers: [String: String]

    package init(url: String, status: Int, headers: [String: String]) {
        self.url = url
        self.status = status
        self.headers = headers
    }
}

/// Why a task ended without a server's answer.
package struct FailureDescription: Hashable, Sendable, Codable {
    /// A code of Foundation's `URLError`.
    package var code: Int
    package var message: String

    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}
