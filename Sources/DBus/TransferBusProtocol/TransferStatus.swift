// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// How a transfer stands, as the bus tells it.
package struct TransferStatus: Hashable, Sendable {
    /// What it is doing.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// For its conditions, a slot or the time after a failure.
        case waiting
        /// Bytes may come.
        case running
        /// Somebody paused it.
        case paused
        /// Over, with what was asked for.
        case finished
        /// Over, without it.
        case failed
        /// Over, because somebody asked for that.
        case cancelled

        /// Whether nothing more will happen.
        package var isOver: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// Its number.
    package var id: TransferID
    /// Its URL without user, password, query and fragment.
    package var url: String
    /// What a person knows it by.
    package var name: String
    /// The app that it belongs to.
    package var app: String
    /// The app's session; nil where it belongs to none.
    package var session: String?
    /// Whether it is an upload.
    package var isUpload: Bool
    /// How urgent it is.
    package var kind: WorkKind
    /// 0…1000, higher first.
    package var priority: Int
    /// What it is doing.
    package var state: State
    /// Bytes so far.
    package var bytes: Int64
    /// All of them; nil where that is not known.
    package var total: Int64?
    /// Bytes a second; nil where it does not run or nothing was measured yet.
    package var rate: Int64?
    /// The attempt that runs or ran last; 0 before the first since the daemon's start.
    package var attempt: Int
    /// When it was handed over.
    package var submitted: BusDate
    /// Why it waits, or how it ended; nil where nobody asked.
    package var sentence: String?
    /// Where the file lies; of an upload, where it comes from.
    package var path: String?
    /// The server's status of one that is over.
    package var status: Int?
    /// The kind of error.
    package var errorCode: String?
    /// The error, for people.
    package var error: String?

    /// How a transfer stands.
    package init(
        id: TransferID, url: String, name: String, app: String, session: String? = nil, isUpload: Bool, kind: WorkKind,
        priority: Int, state: State, submitted: BusDate
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.app = app
        self.session = session
        self.isUpload = isUpload
        self.kind = kind
        self.priority = priority
        self.state = state
        self.submitted = submitted
        bytes = 0
        attempt = 0
    }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "id": .integer(id.rawValue), "url": .string(url), "name": .string(name), "app": .string(app),
            "upload": .bool(isUpload), "kind": .string(kind.rawValue), "priority": .integer(Int64(priority)),
            "state": .string(state.rawValue), "bytes": .integer(bytes), "attempt": .integer(Int64(attempt)),
            "submitted": .string(submitted.description),
        ]
        fields["session"] = .optional(session)
        fields["total"] = total.map(VariantValue.integer)
        fields["rate"] = rate.map(VariantValue.integer)
        fields["sentence"] = .optional(sentence)
        fields["path"] = .optional(path)
        fields["status"] = status.map { .integer(Int64($0)) }
        fields["error-code"] = .optional(errorCode)
        fields["error"] = .optional(error)
        return fields
    }

    /// Reads what came over the bus; keys of a later version are left alone.
    ///
    /// - Throws: `BusFault` where a key that is needed is missing or of another kind.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        func needed<Value>(_ value: Value?, _ key: String) throws -> Value {
            guard let value else { throw BusFault(.invalidArgument, "the daemon's answer has no '\(key)'") }
            return value
        }
        self.init(
            id: TransferID(try needed(try fields.integer("id"), "id")),
            url: try needed(try fields.string("url"), "url"),
            name: try needed(try fields.string("name"), "name"), app: try fields.string("app") ?? "",
            session: try fields.string("session"), isUpload: try fields.flag("upload") ?? false,
            kind: try fields.choice("kind", of: WorkKind.self) ?? .normal,
            priority: Int(try fields.integer("priority", in: 0...1000) ?? 500),
            state: try needed(try fields.choice("state", of: State.self), "state"),
            submitted: try fields.date("submitted") ?? BusDate(WallTime(nanosecondsSinceEpoch: 0)))
        bytes = try fields.integer("bytes") ?? 0
        attempt = Int(try fields.integer("attempt", in: 0...1_000_000_000) ?? 0)
        total = try fields.integer("total")
        rate = try fields.integer("rate")
        sentence = try fields.string("sentence")
        path = try fields.string("path")
        status = try fields.integer("status", in: 0...999).map(Int.init)
        errorCode = try fields.string("error-code")
        error = try fields.string("error")
    }
}
