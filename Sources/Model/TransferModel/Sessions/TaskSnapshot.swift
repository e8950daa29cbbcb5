// SPDX-License-Identifier: Apache-2.0

/// A description of a task, exchanged between an app and the daemon.
package struct TaskSnapshot: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        case download
        /// An upload of the file at `path`.
        case upload(path: String)
    }

    package var identifier: Int
    package var kind: Kind
    package var request: RequestDescription
    /// A description that the app attached to the task.
    package var note: String?
    /// The priority, 0…1.
    package var priority: Float = 0.5
    package var earliestBegin: WallTime?
    /// The number of bytes that the app expects to send, or −1 if unknown.
    package var expectedToSend: Int64 = -1
    package var expectedToReceive: Int64 = -1
    package var isSuspended = false
    package var isEnded = false
    package var received: Int64 = 0
    package var sent: Int64 = 0
    /// The length of the whole body, or `nil` until it is known.
    package var total: Int64?
    package var response: ResponseDescription?
    /// A token for the bytes of an earlier task that this task continues.
    package var continues: String?
    // Optional, because rows that earlier versions stored do not contain these fields.
    /// The name of a download that its app awaits. `nil` for a task whose events the app receives.
    package var name: TaskName?
    /// The conditions of this task alone.
    package var conditions: TaskConditions?

    private enum CodingKeys: String, CodingKey {
        case identifier, kind, request, note, priority, earliestBegin, expectedToSend, expectedToReceive, isSuspended
        case isEnded = "isOver"
        case received, sent, total, response, continues, name, conditions
    }

    package init(identifier: Int, kind: Kind, request: RequestDescription) {
        self.identifier = identifier
        self.kind = kind
        self.request = request
    }
}

extension TaskSnapshot {
    /// The snapshot without the body of its request.
    ///
    /// The daemon sends tasks and events without bodies, because a body may be long and earlier versions of the client
    /// refuse it. A client that needs a body requests it.
    package var withoutBody: TaskSnapshot {
        var snapshot = self
        snapshot.request.body = nil
        return snapshot
    }

    /// Whether the task may have a body that the snapshot does not contain.
    package var mayLackBody: Bool {
        kind == .download && !isEnded && request.body == nil
            && request.method.map(RequestBody.methods.contains) ?? false
    }
}

/// A request. The body of an upload is its file.
package struct RequestDescription: Hashable, Sendable, Codable {
    package var url: String
    package var method: String?
    package var headers: [String: String]
    /// The maximum time without a byte, in seconds, or `nil` for the session's setting.
    package var timeout: Double?
    package var allowsCellularAccess: Bool
    // Optional, because rows that earlier versions stored do not contain these fields.
    /// Whether the request may use networks that charge by the byte. `nil` means `true`.
    package var allowsExpensiveNetworkAccess: Bool?
    /// Whether the request may use networks on which the user wants to save data. `nil` means `true`.
    package var allowsConstrainedNetworkAccess: Bool?
    /// The body of a download's request, at most ``RequestBody/longest`` bytes.
    package var body: [UInt8]? {
        get { storedBody?.bytes }
        set { storedBody = newValue.map(Base64Bytes.init) }
    }
    private var storedBody: Base64Bytes?

    private enum CodingKeys: String, CodingKey {
        case url, method, headers, timeout, allowsCellularAccess
        case allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess
        case storedBody = "body"
    }

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

/// A server's response without its body.
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

/// An error that ended a task without a server's response.
package struct FailureDescription: Hashable, Sendable, Codable {
    /// A code of Foundation's `URLError`.
    package var code: Int
    package var message: String

    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}

/// The name under which an app finds a task and its file again.
package struct TaskName: Hashable, Sendable, Codable {
    /// The maximum length of an identifier, in bytes.
    package static let longestID = 1000

    /// The identifier that the app chose, unique within the session, 1 to ``longestID`` bytes.
    package var id: String
    /// A digest of the request. It distinguishes requests after the task has ended and its secrets are removed.
    package var fingerprint: String

    package init(id: String, fingerprint: String) {
        self.id = id
        self.fingerprint = fingerprint
    }
}

/// The conditions that an app sets for a single task, in addition to the conditions of its session.
package struct TaskConditions: Hashable, Sendable, Codable {
    /// Whether the policy for discretionary work decides when the task runs. `nil` means the session's setting.
    package var isDiscretionary: Bool?
    /// The constraints that differ from the defaults.
    package var constraints = ConstraintChange()

    package init() {}

    /// The size in bytes of the parts whose length the app controls.
    package var bookkeepingBytes: Int {
        let names = (constraints.connectionsAllowed ?? []).union(constraints.connectionsDenied ?? [])
        return names.reduce((constraints.windows?.count ?? 0) * 16) { $0 + $1.utf8.count }
            + (constraints.linkKinds?.count ?? 0)
    }
}
