// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// The D-Bus form of a submitted transfer.
extension TransferRequest {
    /// The dictionary for the bus.
    package var fields: [String: VariantValue] { RequestFields(self).fields }

    /// Parses a dictionary from the bus.
    ///
    /// - Throws: `BusFault` that names the key, the error and its remedy.
    package init(_ values: [String: VariantValue], submitted: WallTime) throws {
        self = try RequestFields(values).request(submitted: submitted)
    }
}

/// The keys of a submitted transfer. A single dictionary holds the parts of the specification that a caller may set.
private struct RequestFields: VariantCoded {
    var url = ""
    var kind: WorkKind?
    var priority: Int?
    var expectedBytes: Int64?
    var attempts: Int?
    var session: String?
    var idleTimeout: Int?
    var rateLimit: Int64?
    var headers: [HeaderField]?
    var cookies: [String]?
    var user: String?
    var password: String?
    var policy: String?
    var onComplete: [String]?
    var constraints = ConstraintChange()
    // Keys of an upload.
    var uploadFile: String?
    var method: UploadSource.Method?
    var contentType: String?
    var isResumable: Bool?
    // Keys of a download.
    var directory: String?
    var name: String?
    var collision: Destination.Collision?
    var remoteTime: Bool?
    var allowsHTML: Bool?
    var connections: Int?
    var mirrors: [String]?
    var checksum: String?

    static let busLayout = VariantLayout(
        "a transfer",
        keys: [
            "url": .init("url", most: 32 << 10, need: "the URL to transfer"),
            "priority": .init("priority", whole: 0...1000), "constraints": .inline(),
            "expectedBytes": .init("expected-bytes", whole: 0 ... .max),
            "attempts": .init("attempts", whole: 1...1_000_001), "session": .init("session", most: 255),
            "idleTimeout": .init("idle-timeout", whole: 1...86_400),
            "rateLimit": .init("rate-limit", whole: 1 ... .max), "policy": .init("policy", most: 255),
            "onComplete": "on-complete",
            "headers": .init("headers", expected: "a list of pairs of name and value (a(ss))"),
            "user": .init("user", most: 4096), "password": .init("password", most: 4096),
            "uploadFile": .init("upload-file", most: 4096), "contentType": .init("content-type", most: 255),
            "isResumable": "resumable", "directory": .init("directory", most: 4096), "name": .init("name", most: 255),
            "remoteTime": "remote-time", "allowsHTML": "allow-html", "checksum": .init("checksum", most: 255),
            "connections": .init("connections", whole: 1...Int64(ConnectionCount.range.upperBound)),
        ])

    init(_ request: TransferRequest) {
        let (specification, traits) = (request.specification, request.specification.traits)
        (url, kind, priority, session) = (specification.url, traits.kind, traits.priority, traits.session)
        (expectedBytes, attempts) = (traits.expectedBytesToReceive, traits.maximumAttempts)
        (idleTimeout, rateLimit) = (specification.idleTimeoutSeconds, specification.rateLimit)
        if !specification.headers.isEmpty { headers = specification.headers }
        cookies = specification.cookies?.map(\.line)
        (user, password) = (specification.credential?.user, specification.credential?.password)
        (policy, onComplete) = (traits.policy, specification.onComplete)
        constraints = ConstraintChange(traits.constraints)
        if let upload = request.upload {
            (uploadFile, method, contentType) = (upload.path, upload.method, upload.contentType)
            isResumable = upload.resumption == .automatic
        } else {
            let destination = specification.destination
            directory = destination.directory.isEmpty ? nil : destination.directory
            (name, collision) = (destination.name, destination.collision)
            checksum = specification.checksum.map { "\($0.algorithm.rawValue):\($0.hexDigest)" }
            (remoteTime, connections) = (specification.usesRemoteTime, specification.connections)
            if specification.acceptsWebPages { allowsHTML = true }
            mirrors = specification.mirrors?.urls
        }
    }

    /// Validates the keys and returns the request.
    ///
    /// - Throws: `BusFault` that names the key, the error and its remedy.
    func request(submitted: WallTime) throws(BusFault) -> TransferRequest {
        try HeaderChecks.check(headers ?? [])
        guard policy == nil || kind == .discretionary else {
            throw BusFault(
                .invalidArgument, "'policy' requires 'kind' = discretionary, because other work asks no policy")
        }
        var specification = TransferSpecification(
            url: url, headers: headers ?? [], destination: try destination(), idleTimeoutSeconds: idleTimeout ?? 60,
            usesRemoteTime: remoteTime ?? false, rateLimit: rateLimit,
            traits: TransferTraits(
                kind: kind ?? .normal, constraints: constraints.constraints, priority: priority ?? 500, host: "",
                expectedBytesToReceive: expectedBytes, maximumAttempts: attempts, submitted: submitted,
                session: session, policy: policy))
        specification.connections = connections ?? 1
        specification.acceptsWebPages = allowsHTML ?? false
        specification.mirrors = try checkedMirrors()
        specification.cookies = try HeaderChecks.cookies(cookies, headers: headers ?? [])
        specification.onComplete = try program()
        if let user { specification.credential = Credential(user: user, password: password ?? "") }
        let upload = try upload()
        try refuse(
            upload == nil
                ? ["method": method != nil, "content-type": contentType != nil, "resumable": isResumable != nil]
                : [
                    "directory": directory != nil, "name": name != nil, "collision": collision != nil,
                    "checksum": checksum != nil, "remote-time": remoteTime != nil, "allow-html": allowsHTML != nil,
                    "connections": connections != nil, "mirrors": mirrors != nil,
                ], in: upload == nil ? "a download" : "an upload")
        guard let checksum else { return TransferRequest(specification, upload: upload) }
        do { specification.checksum = try Checksum(parsing: checksum) } catch {
            throw BusFault(.invalidArgument, "'checksum' \(error)")
        }
        return TransferRequest(specification, upload: upload)
    }

    private func checkedMirrors() throws(BusFault) -> MirrorList? {
        guard let mirrors, !mirrors.isEmpty else { return nil }
        let most = MirrorList.maximumCount
        guard mirrors.count <= most, !mirrors.contains(where: { $0.isEmpty || $0.utf8.count > 32 << 10 }) else {
            throw BusFault(.invalidArgument, "'mirrors' may have \(most) URLs, each with at most 32 KiB")
        }
        return MirrorList(mirrors)
    }

    /// Returns the program to start after the transfer.
    private func program() throws(BusFault) -> [String]? {
        guard let onComplete else { return nil }
        guard onComplete.first?.hasPrefix("/") == true else {
            throw BusFault(.invalidArgument, "'on-complete' must begin with the absolute path of a program")
        }
        guard onComplete.count <= Self.maximumWords, onComplete.reduce(0, { $0 + $1.utf8.count }) <= 32 << 10,
            !onComplete.contains(where: { $0.utf8.contains(0) })
        else {
            throw BusFault(
                .invalidArgument, "'on-complete' may have \(Self.maximumWords) words and 32 KiB, and no NUL character")
        }
        return onComplete
    }

    /// The maximum number of words of `on-complete`.
    private static let maximumWords = 256

    private func refuse(_ keys: [String: Bool], in what: String) throws(BusFault) {
        guard let key = keys.filter(\.value).keys.min() else { return }
        throw BusFault(.invalidArgument, "'\(key)' is not a key of \(what); see the comments of the D-Bus interface")
    }

    private func upload() throws(BusFault) -> TransferRequest.Upload? {
        guard let uploadFile else { return nil }
        guard uploadFile.hasPrefix("/") else {
            throw BusFault(
                .invalidArgument, "'upload-file' must be an absolute path, not '\(uploadFile.prefix(40))'")
        }
        guard method != .patch else { throw BusFault(.invalidArgument, "'method' must be PUT or POST") }
        return TransferRequest.Upload(
            path: uploadFile, method: method ?? .put, contentType: contentType,
            resumption: isResumable ?? true ? .automatic : .never)
    }

    private func destination() throws(BusFault) -> Destination {
        if let directory, !directory.isEmpty, !directory.hasPrefix("/") {
            throw BusFault(.invalidArgument, "'directory' must be an absolute path, not '\(directory.prefix(40))'")
        }
        if let name, name.isEmpty || name.contains("/") || name == "." || name == ".." {
            throw BusFault(.invalidArgument, "'name' must be a file name without a folder, not '\(name.prefix(40))'")
        }
        if let name, let fault = name.fileNameFault {
            throw BusFault(.invalidArgument, "'name': '\(name.prefix(40))' \(fault); use another name")
        }
        return Destination(directory: directory ?? "", name: name, collision: collision ?? .rename)
    }
}
