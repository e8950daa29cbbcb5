// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// A builder that creates specifications from one command line. Options that all transfers share are validated once.
struct SpecificationBuilder {
    private let now: WallTime
    private let kind: WorkKind
    private let constraints: Constraints
    private let priority: Int
    private let expectedBytes: Int64?
    private let checksum: Checksum?
    private let checksums: ChecksumList?
    private let headers: [HeaderField]
    private let cookies: CookieFile?
    private let login: Credential?
    private let netrc: Netrc?
    private let usesURLName: Bool
    private let directory: String
    private let collision: Destination.Collision
    private let usesRemoteTime: Bool
    private let acceptsWebPages: Bool
    private let idleTimeout: Int
    private let rateLimit: Int64?
    private let connections: Int
    private let maximumAttempts: Int?
    private let exemptsLoopback: Bool
    private let proxies: ProxyRule

    /// Validates the options that all transfers of the command share. `destination` is `nil` for uploads, and `proxy` is
    /// the proxy of the command line.
    init(
        command: some TransferOptions, destination: DestinationOptions?, proxy: String? = nil, now: WallTime
    ) throws {
        self.now = now
        let timing = command.timing
        kind = Self.kind(timing.conditions)
        constraints = try Self.constraints(timing.conditions, now: now)
        priority = try Self.priority(timing.priority)
        expectedBytes = try timing.expectBytes.map { try ByteCount($0, option: "expect-bytes").bytes }
        checksum = try destination?.checksum.map { try ChecksumExpression($0).checksum }
        checksums = try destination?.checksums.map { try ChecksumList(path: $0) }
        let fields = try RequestFields(command.request)
        headers = fields.fields
        cookies = try command.request.cookies.map { try CookieFile(path: $0) }
        for name in fields.ignored { Self.warn(ofIgnored: name) }
        for fault in cookies?.faults ?? [] { Console.error("warning: \(fault); the line is ignored") }
        login = try command.request.user.map { try LoginExpression($0).credential }
        usesURLName = destination?.remoteName ?? false
        guard !usesURLName || destination?.output == nil else {
            throw UsageError("--remote-name and --output are mutually exclusive; use one of them")
        }
        netrc = try command.request.netrc ? Self.readNetrc() : nil
        directory = try PathName.absolute(destination?.directory ?? ".")
        collision = try destination.map(Self.collision) ?? .rename
        usesRemoteTime = destination?.remoteTime ?? false
        acceptsWebPages = destination?.allowHTML ?? false
        let timeout = try command.request.timeout.map { try TimeSpan($0, option: "timeout").seconds } ?? 60
        rateLimit = try command.request.limitRateEach.map { try GetPlan.rate($0, option: "limit-rate-each") }
        guard (1...86_400).contains(timeout) else {
            throw UsageError("--timeout '\(command.request.timeout ?? "")' must be from 1 second to 1 day")
        }
        idleTimeout = Int(timeout)
        guard (0...1_000_000).contains(command.request.retries ?? 0) else {
            throw UsageError("--retries \(command.request.retries ?? 0) must be from 0 to 1000000")
        }
        connections = command.request.connections ?? 1
        guard ConnectionCount.range.contains(connections) else {
            throw UsageError(
                "--connections \(connections) must be from 1 to \(ConnectionCount.range.upperBound)")
        }
        maximumAttempts = command.request.retries.map { $0 + 1 }
        exemptsLoopback = !command.testOptions.noLoopbackExemption
        proxies = ProxyRule(explicit: proxy)
    }

    /// Returns the transfer for a target.
    ///
    /// - Throws: `UsageError` that says what is wrong with the URL or the name.
    func item(for target: InputList.Item) throws -> GetPlan.Item {
        guard !usesURLName || target.url.contains("://") else {
            throw UsageError("not a valid URL: '\(target.url)'; -O takes no name, unlike wget's; use -o NAME")
        }
        let request = try request(for: target.url, sending: nil)
        let name = ServerFileName.name(disposition: nil, url: request.url)
        let listed =
            try target.checksum ?? checksum ?? checksums?.checksum(of: [name] + [target.output].compactMap(\.self))
        var specification = TransferSpecification(
            url: request.url, headers: headers(of: target),
            // Each server could suggest another name.
            destination: try destination(
                target.output ?? (usesURLName || !target.mirrors.isEmpty ? name : nil), in: target.directory),
            checksum: listed, idleTimeoutSeconds: idleTimeout, usesRemoteTime: usesRemoteTime, rateLimit: rateLimit,
            traits: request.traits)
        specification.credential = request.credential
        specification.connections = connections
        specification.acceptsWebPages = acceptsWebPages
        try MirrorList.add(target.mirrors, to: &specification, proxies: proxies)
        return item(specification)
    }

    /// Returns the fields of the command line and of a line of a list, which win.
    private func headers(of target: InputList.Item) -> [HeaderField] {
        let own = target.headers.filter { $0.fault != .reserved }
        for field in target.headers where field.fault == .reserved { Self.warn(ofIgnored: field.name) }
        let names = Set(own.map { $0.name.lowercased() })
        return headers.filter { !names.contains($0.name.lowercased()) } + own
    }

    private static func warn(ofIgnored name: String) {
        Console.error("warning: --header '\(name)' is ignored, because the transfer sets this field itself")
    }

    /// Returns the item of a specification. Cookies do not identify a transfer, because they change with each login.
    private func item(_ specification: TransferSpecification) -> GetPlan.Item {
        var item = GetPlan.Item(specification: specification, key: Self.key(of: specification))
        let own = cookies?.cookies(forServerOf: specification.url, now: now) ?? []
        item.specification.cookies = own.isEmpty ? nil : own
        return item
    }

    /// Returns the upload of a file.
    ///
    /// - Throws: `UsageError` that says what is wrong with the URL.
    func item(uploading source: UploadSource, to url: String) throws -> GetPlan.Item {
        let request = try request(for: url, sending: source.size)
        var specification = TransferSpecification(
            url: request.url, headers: headers, upload: source, idleTimeoutSeconds: idleTimeout, rateLimit: rateLimit,
            traits: request.traits)
        specification.credential = request.credential
        return item(specification)
    }

    /// Returns the URL, the credential, and the traits for scheduling. `bytes` is the size of an upload.
    private func request(
        for text: String, sending bytes: Int64?
    ) throws -> (url: String, credential: Credential?, traits: TransferTraits) {
        let target = try TransferTarget(text, proxies: proxies)
        var credential = login ?? target.credential
        if credential?.password.isEmpty ?? true, !headers.contains(where: { $0.name.lowercased() == "authorization" }) {
            credential = netrc?.credential(host: target.hostName, user: credential?.user) ?? credential
        }
        let traits = TransferTraits(
            kind: kind, constraints: constraints, priority: priority, host: target.host,
            isLoopback: exemptsLoopback && target.isLoopback, expectedBytesToReceive: expectedBytes,
            expectedBytesToSend: bytes, maximumAttempts: maximumAttempts, submitted: now)
        return (target.url, credential, traits)
    }

    private func destination(_ output: String?, in folder: String?) throws -> Destination {
        let directory = try folder.map { try PathName.absolute($0) } ?? directory
        guard let output else { return Destination(directory: directory, name: nil, collision: collision) }
        let path = output.hasPrefix("/") ? output : directory + "/" + output
        let url = URL(fileURLWithPath: path).standardizedFileURL
        guard !output.isEmpty, !output.hasSuffix("/"), url.lastPathComponent != "/" else {
            throw UsageError("--output '\(output)' names no file; use a file name, or --directory for a folder")
        }
        if let fault = output.split(separator: "/").last?.fileNameFault {
            throw UsageError("--output '\(output.printable)': the name \(fault); use another name")
        }
        return Destination(
            directory: url.deletingLastPathComponent().path, name: url.lastPathComponent, collision: collision)
    }

    private static func basic(_ credential: Credential) -> String {
        "Basic " + Data("\(credential.user):\(credential.password)".utf8).base64EncodedString()
    }

    /// Returns a hash of URL, destination and header fields. They are hashed because they may contain secrets and the
    /// key outlives the transfer.
    private static func key(of specification: TransferSpecification) -> String {
        var fields = specification.headers.map { "\($0.name.lowercased()): \($0.value)" }
        if let credential = specification.credential {
            // In the form that earlier versions sent, so that their transfers are found.
            fields.append("authorization: \(basic(credential))")
        }
        fields.sort()
        let location =
            specification.upload.map { [$0.method.rawValue, $0.path] }
            ?? [specification.destination.directory, specification.destination.name ?? ""]
        let components = [specification.url] + location + fields
        return ContentDigest.sha256(of: components.joined(separator: "\u{0}"))
    }

    private static func kind(_ timing: ConditionOptions) -> WorkKind {
        if timing.discretionary || timing.policy != nil || timing.patience != nil { return .discretionary }
        let isTimed = timing.notBefore != nil || timing.by != nil || timing.window != nil
        return isTimed ? .normal : .userInitiated
    }

    static func constraints(_ timing: ConditionOptions, now: WallTime) throws -> Constraints {
        var constraints = Constraints()
        if let when = timing.when {
            let expression = try WhenExpression(when)
            (constraints.power, constraints.linkKinds) = (expression.power, expression.linkKinds)
            (constraints.metered, constraints.price) = (expression.metered, expression.price)
            constraints.custom = expression.custom
            _ = try OwnConditions.required(by: expression.custom)
        }
        if timing.metered == .allow {
            guard constraints.metered != .unmetered else {
                throw UsageError("--metered allow and --when unmetered are mutually exclusive; use one of them")
            }
            constraints.metered = .allowed
        }
        constraints.notBefore = try timing.notBefore.map {
            NotBeforeConstraint(try TimeExpression($0, option: "not-before", now: now).date)
        }
        constraints.deadline = try timing.by.map {
            DeadlineConstraint(try TimeExpression($0, option: "by", now: now, allowsPast: timing.force).date)
        }
        if let notBefore = constraints.notBefore, let deadline = constraints.deadline,
            deadline.date <= notBefore.date
        {
            throw UsageError("--by '\(timing.by ?? "")' must be later than --not-before '\(timing.notBefore ?? "")'")
        }
        constraints.patience = try patience(timing.patience)
        constraints.window = try timing.window.map { try WindowExpression($0).constraint }
        return constraints
    }

    static func priority(_ text: String?) throws -> Int {
        switch text {
        case nil, "normal": return 500
        case "low": return 250
        case "high": return 750
        case let text?:
            guard let number = Int(text), (0...1000).contains(number) else {
                throw UsageError(
                    "not a valid priority: --priority '\(text)'; use low, normal, high, or a number from 0 to 1000")
            }
            return number
        }
    }

    private static func patience(_ text: String?) throws -> Patience? {
        guard let text else { return nil }
        guard let patience = Patience(rawValue: text) else {
            let known = Patience.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("not a valid patience: --patience '\(text)'; use one of \(known)")
        }
        return patience
    }

    private static func collision(_ options: DestinationOptions) throws -> Destination.Collision {
        let chosen = [options.overwrite, options.noClobber, options.rename].filter { $0 }.count
        guard chosen <= 1 else {
            throw UsageError("--overwrite, --no-clobber, and --rename are mutually exclusive; use one of them")
        }
        if options.overwrite { return .overwrite }
        return options.noClobber ? .fail : .rename
    }

    private static func readNetrc() throws -> Netrc {
        guard let path = ProcessInfo.processInfo.environment["NETRC"] ?? BaseFolder.home.map({ $0 + "/.netrc" }) else {
            throw UsageError("cannot find the file for --netrc: HOME is not an absolute path; set HOME or NETRC")
        }
        guard access(path, R_OK) == 0, let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("cannot read '\(path)' for --netrc (\(String(cString: strerror(errno))))")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("'\(path)' for --netrc is not UTF-8 text")
        }
        return try Netrc(text, name: path)
    }
}
