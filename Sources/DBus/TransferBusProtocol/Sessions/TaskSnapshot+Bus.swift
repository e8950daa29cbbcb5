// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
internal import TransferModel

extension TaskSnapshot {
    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "task": .integer(Int64(identifier)), "request": .dictionary(request.fields),
            "priority": .double(Double(priority)), "expects-to-send": .integer(expectedToSend),
            "expects-to-receive": .integer(expectedToReceive), "suspended": .bool(isSuspended), "over": .bool(isOver),
            "received": .integer(received), "sent": .integer(sent),
        ]
        if case .upload(let path) = kind { fields["upload-file"] = .string(path) }
        fields["note"] = .optional(note)
        fields["earliest-begin"] = earliestBegin.map { .integer($0.nanosecondsSinceEpoch) }
        fields["total"] = total.map(VariantValue.integer)
        fields["response"] = response.map { .dictionary($0.fields) }
        fields["continues"] = .optional(continues)
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        let identifier = try BusFields.needed(
            fields.integer("task", in: 1 ... .max), "task", "the task's number in its session")
        let path = try fields.string("upload-file", most: 4096)
        if let path, !path.hasPrefix("/") {
            throw BusFault(.invalidArgument, "'upload-file' must be an absolute path, not '\(path.prefix(40))'")
        }
        self.init(
            identifier: Int(identifier), kind: path.map { .upload(path: $0) } ?? .download,
            request: try BusFields.needed(
                fields.nested("request", RequestDescription.init), "request", "what is to be transferred"))
        note = try fields.string("note", most: CallerLimits.noteBytes)
        priority = try fields.number("priority", in: 0...1).map(Float.init) ?? priority
        earliestBegin = try fields.integer("earliest-begin").map { WallTime(nanosecondsSinceEpoch: $0) }
        expectedToSend = try fields.integer("expects-to-send", in: -1 ... .max) ?? expectedToSend
        expectedToReceive = try fields.integer("expects-to-receive", in: -1 ... .max) ?? expectedToReceive
        isSuspended = try fields.flag("suspended") ?? isSuspended
        isOver = try fields.flag("over") ?? isOver
        received = try fields.integer("received", in: 0 ... .max) ?? received
        sent = try fields.integer("sent", in: 0 ... .max) ?? sent
        total = try fields.integer("total", in: 0 ... .max)
        response = try fields.nested("response", ResponseDescription.init)
        continues = try fields.string("continues", most: 4096)
        try fields.end(in: "a task")
    }
}

extension RequestDescription {
    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = ["url": .string(url), "cellular": .bool(allowsCellularAccess)]
        fields["method"] = .optional(method)
        if !headers.isEmpty { fields["headers"] = .texts(headers) }
        fields["timeout"] = timeout.map { .double(min(max($0, 0), 4e9)) }
        return fields
    }

    /// Reads what came over the bus.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        self.init(
            url: try BusFields.needed(fields.string("url", most: 32 << 10), "url", "where it is"),
            method: try fields.string("method", most: 40), headers: try fields.headers("headers"),
            timeout: try fields.number("timeout", in: 0...4e9),
            allowsCellularAccess: try fields.flag("cellular") ?? true)
        try fields.end(in: "a request")
    }
}

extension ResponseDescription {
    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = ["url": .string(url), "status": .integer(Int64(status))]
        if !headers.isEmpty { fields["headers"] = .texts(headers) }
        return fields
    }

    /// Reads what came over the bus.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        self.init(
            url: try BusFields.needed(fields.string("url", most: 1 << 20), "url", "what answered"),
            status: Int(try BusFields.needed(fields.integer("status", in: 0...999), "status", "the server's status")),
            headers: try fields.texts("headers") ?? [:])
        try fields.end(in: "a response")
    }
}

extension VariantValue {
    /// Texts by their names.
    static func texts(_ texts: [String: String]) -> VariantValue { .dictionary(texts.mapValues(VariantValue.string)) }
}

extension BusFields {
    /// Header fields of a request; none where the key is missing.
    mutating func headers(_ key: String) throws -> [String: String] {
        let headers = try texts(key) ?? [:]
        try HeaderChecks.check(headers.map { HeaderField(name: $0.key, value: $0.value) }, key)
        return headers
    }
}
