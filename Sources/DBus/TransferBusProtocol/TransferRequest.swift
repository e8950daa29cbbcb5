// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// A transfer as it is handed over by the bus, before the daemon has looked at its URL and its file.
package struct TransferRequest: Hashable, Sendable {
    /// What to upload.
    package struct Upload: Hashable, Sendable {
        /// The file's absolute path.
        package var path: String
        /// How the bytes are sent.
        package var method: UploadSource.Method
        /// `Content-Type`; nil sends none.
        package var contentType: String?
        /// Whether an interrupted upload may go on in the middle.
        package var resumption: UploadSource.Resumption
        /// The file itself, of a caller in a sandbox; open until its call is answered. `path` is for people only then.
        package var descriptor: Int32?

        /// An upload.
        package init(
            path: String, method: UploadSource.Method = .put, contentType: String? = nil,
            resumption: UploadSource.Resumption = .automatic
        ) {
            self.path = path
            self.method = method
            self.contentType = contentType
            self.resumption = resumption
        }
    }

    /// What to do, as the engine has it; its URL has not been looked at, and of an upload the file has not.
    package var specification: TransferSpecification
    /// What to upload; nil for a download.
    package var upload: Upload?

    /// A download, or an upload of `upload`.
    package init(_ specification: TransferSpecification, upload: Upload? = nil) {
        self.specification = specification
        self.upload = upload
    }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        let specification = specification
        var fields = specification.traits.constraints.busFields
        fields["url"] = .string(specification.url)
        if !specification.headers.isEmpty {
            fields["headers"] = .list(specification.headers.map { .list([.string($0.name), .string($0.value)]) })
        }
        fields["user"] = .optional(specification.credential?.user)
        fields["password"] = .optional(specification.credential?.password)
        if let upload {
            fields["upload-file"] = .string(upload.path)
            fields["method"] = .string(upload.method.rawValue)
            fields["content-type"] = .optional(upload.contentType)
            fields["resumable"] = .bool(upload.resumption == .automatic)
        } else {
            if !specification.destination.directory.isEmpty {
                fields["directory"] = .string(specification.destination.directory)
            }
            fields["name"] = .optional(specification.destination.name)
            fields["collision"] = .string(specification.destination.collision.rawValue)
            fields["checksum"] = .optional(specification.checksum.map { "\($0.algorithm.rawValue):\($0.hexDigest)" })
            fields["remote-time"] = .bool(specification.usesRemoteTime)
            fields["connections"] = .integer(Int64(specification.connections))
        }
        fields["idle-timeout"] = .integer(Int64(specification.idleTimeoutSeconds))
        fields["rate-limit"] = specification.rateLimit.map(VariantValue.integer)
        let traits = specification.traits
        fields["kind"] = .string(traits.kind.rawValue)
        fields["priority"] = .integer(Int64(traits.priority))
        fields["attempts"] = traits.maximumAttempts.map { .integer(Int64($0)) }
        fields["expected-bytes"] = traits.expectedBytesToReceive.map(VariantValue.integer)
        fields["session"] = .optional(traits.session)
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue], submitted: WallTime) throws {
        var fields = BusFields(values)
        guard let url = try fields.string("url", most: 32 << 10) else {
            throw BusFault(.invalidArgument, "'url' is missing: what is to be transferred")
        }
        var constraints = Constraints()
        _ = try constraints.take(&fields)
        let traits = TransferTraits(
            kind: try fields.choice("kind", of: WorkKind.self) ?? .normal, constraints: constraints,
            priority: Int(try fields.integer("priority", in: 0...1000) ?? 500), host: "",
            expectedBytesToReceive: try fields.integer("expected-bytes", in: 0 ... .max),
            maximumAttempts: try fields.integer("attempts", in: 1...1_000_001).map(Int.init), submitted: submitted,
            session: try fields.string("session", most: 255))
        let idleTimeout = Int(try fields.integer("idle-timeout", in: 1...86_400) ?? 60)
        let rateLimit = try fields.integer("rate-limit", in: 1 ... .max)
        let headers =
            try fields.list("headers", of: "pairs of name and value (a(ss))") { value -> HeaderField? in
                let pair = value.items.compactMap(\.string)
                return pair.count == 2 ? HeaderField(name: pair[0], value: pair[1]) : nil
            } ?? []
        try HeaderChecks.check(headers)
        upload = try Self.upload(&fields)
        specification = TransferSpecification(
            url: url, headers: headers, destination: Destination(directory: "", name: nil),
            idleTimeoutSeconds: idleTimeout, rateLimit: rateLimit, traits: traits)
        let user = try fields.string("user", most: 4096)
        let password = try fields.string("password", most: 4096)
        if let user { specification.credential = Credential(user: user, password: password ?? "") }
        if upload == nil { try takeDownload(&fields) }
        try fields.end(in: upload == nil ? "a download" : "an upload")
    }

    private mutating func takeDownload(_ fields: inout BusFields) throws {
        let directory = try fields.string("directory", most: 4096) ?? ""
        guard directory.isEmpty || directory.hasPrefix("/") else {
            throw BusFault(.invalidArgument, "'directory' must be an absolute path, not '\(directory.prefix(40))'")
        }
        let name = try fields.string("name", most: 255)
        if let name, name.isEmpty || name.contains("/") || name == "." || name == ".." {
            throw BusFault(.invalidArgument, "'name' must be a file's name without a folder, not '\(name.prefix(40))'")
        }
        specification.destination = Destination(
            directory: directory, name: name,
            collision: try fields.choice("collision", of: CollisionChoice.self)?.collision ?? .rename)
        specification.usesRemoteTime = try fields.flag("remote-time") ?? false
        let most = Int64(TransferSpecification.mostConnections)
        specification.connections = Int(try fields.integer("connections", in: 1...most) ?? 1)
        guard let text = try fields.string("checksum", most: 255) else { return }
        do { specification.checksum = try Checksum(parsing: text) } catch {
            throw BusFault(.invalidArgument, "'checksum' \(error)")
        }
    }

    private static func upload(_ fields: inout BusFields) throws -> Upload? {
        guard let path = try fields.string("upload-file", most: 4096) else { return nil }
        guard path.hasPrefix("/") else {
            throw BusFault(.invalidArgument, "'upload-file' must be an absolute path, not '\(path.prefix(40))'")
        }
        return Upload(
            path: path, method: try fields.choice("method", of: UploadSource.Method.self) ?? .put,
            contentType: try fields.string("content-type", most: 255),
            resumption: try fields.flag("resumable") ?? true ? .automatic : .never)
    }

    private enum CollisionChoice: String, CaseIterable {
        case rename
        case overwrite
        case fail

        var collision: Destination.Collision {
            switch self {
            case .rename: .rename
            case .overwrite: .overwrite
            case .fail: .fail
            }
        }
    }
}
