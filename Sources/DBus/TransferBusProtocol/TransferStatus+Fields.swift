// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// A transfer's state as the bus carries it.
extension TransferStatus {
    /// The dictionary that the bus carries.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "id": .integer(id.rawValue), "url": .string(url), "name": .string(name), "app": .string(app),
            "upload": .bool(isUpload), "kind": .string(kind.rawValue), "priority": .integer(Int64(priority)),
            "state": .string(state.rawValue), "bytes": .integer(bytes), "attempt": .integer(Int64(attempt)),
            "submitted": .string(BusDate(submitted).description),
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
            submitted: (try fields.date("submitted"))?.wall ?? WallTime(nanosecondsSinceEpoch: 0))
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
