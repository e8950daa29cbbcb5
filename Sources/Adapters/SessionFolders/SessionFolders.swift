// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import HTTPSyntax
internal import TransferFiles
package import TransferModel
package import TransferSessions

/// Resolves the requests of apps into transfer specifications, and chooses the folders for finished files of sessions.
///
/// The files of an app are stored in `background-transfer` in the app's folder below the cache folder. The files of a
/// session with a shared container are stored in the container's folder. The files stay there until the app has been
/// notified of them.
package struct SessionFolders: RequestResolver {
    /// Reads the current state of an upload's file, given its path, method, and media type.
    package typealias UploadReader =
        @Sendable (String, UploadSource.Method, String?) throws(TransferFailure) -> UploadSource

    private let cache: String
    private let isProxied: @Sendable (_ scheme: String, _ host: String) -> Bool
    private let readUpload: UploadReader

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - cache: The absolute path of the user's cache folder, such as the value of `XDG_CACHE_HOME`.
    ///   - isProxied: Returns whether requests to a host go through a proxy.
    package init(
        cache: String, isProxied: @escaping @Sendable (_ scheme: String, _ host: String) -> Bool,
        readUpload: @escaping UploadReader
    ) {
        self.cache = cache
        self.isProxied = isProxied
        self.readUpload = readUpload
    }

    package func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification {
        let request = task.request
        let url = URLReference(request.url)
        guard let scheme = url.scheme, ["http", "https"].contains(scheme), url.hasValidHost else {
            throw UnusableTask(
                code: URLErrorNumber.unsupportedURL,
                message: "not an http or https URL: '\(RedactedURL.text(of: request.url))'")
        }
        let traits = TransferTraits(
            kind: .normal, host: url.origin,
            isLoopback: LoopbackHost.contains(url.host, unlessProxied: isProxied(scheme, url.host)), submitted: now)
        let headers = headers(of: request, settings)
        // A timeout of more than a century is as good as none.
        let idle = Int(min(max(1, request.timeout ?? settings.requestTimeout), 4e9).rounded(.up))
        let address = url.withoutUserInfo.text
        var specification: TransferSpecification
        switch task.kind {
        case .download:
            let method = request.method?.uppercased() ?? "GET"
            guard method == "GET" ? request.body == nil : RequestBody.methods.contains(method) else {
                throw UnusableTask(
                    code: URLErrorNumber.unsupportedURL,
                    message: """
                        a download must use GET without a body, or \(RequestBody.methods.sorted().joined(separator: ", ")), \
                        not \(method)
                        """)
            }
            specification = TransferSpecification(
                url: address, headers: headers, destination: destination(in: session, settings),
                idleTimeoutSeconds: idle, allowsInsecureRedirect: settings.allowsInsecureRedirect,
                keepsErrorBody: true, traits: traits)
            specification.isPrivate = true
            if method != "GET" { specification.body = RequestBody(method: method, bytes: request.body ?? []) }
        case .upload(let path):
            specification = TransferSpecification(
                url: address, headers: headers, upload: try source(path, request, headers), idleTimeoutSeconds: idle,
                allowsInsecureRedirect: settings.allowsInsecureRedirect, traits: traits)
            specification.traits.expectedBytesToSend = specification.upload?.size
        }
        specification.credential = url.credential
        specification.asksForCredentials = true
        specification.keepsResponseHead = true
        return specification
    }

    private func headers(of request: RequestDescription, _ settings: SessionSettings) -> [HeaderField] {
        let own = Set(request.headers.keys.map { $0.lowercased() })
        let all = settings.additionalHeaders.filter { !own.contains($0.key.lowercased()) }
            .merging(request.headers) { $1 }
        return all.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
    }

    private func source(
        _ path: String, _ request: RequestDescription, _ headers: [HeaderField]
    ) throws(UnusableTask) -> UploadSource {
        guard let method = UploadSource.Method(rawValue: request.method?.uppercased() ?? "POST") else {
            throw UnusableTask(
                code: URLErrorNumber.unsupportedURL,
                message: "an upload must use PUT, POST, or PATCH, not \(request.method ?? "")")
        }
        do throws(TransferFailure) {
            return try readUpload(path, method, nil)
        } catch {
            throw UnusableTask(code: URLErrorNumber.fileDoesNotExist, message: error.message)
        }
    }

    private func destination(in session: SessionKey, _ settings: SessionSettings) -> Destination {
        Destination(directory: folder(of: session, settings), name: Self.temporaryName(), collision: .overwrite)
    }

    private func folder(of session: SessionKey, _ settings: SessionSettings) -> String {
        "\(cache)/\(Self.fileName(settings.sharedContainerIdentifier ?? session.app))/background-transfer"
    }

    package func namedFilesFolder(of session: SessionKey, by settings: SessionSettings) -> String {
        // Every session has its own folder. A long name becomes several folders, all but the last of which end in a
        // percent sign. No escaped name ends in one.
        var rest = Self.escaped(session.identifier)[...]
        var components: [String] = []
        while rest.utf8.count > 200 {
            components.append(rest.prefix(200) + "%")
            rest = rest.dropFirst(200)
        }
        if rest.hasPrefix(".") { rest = "%" + rest }
        // Two apps of one container may have sessions of the same identifier.
        let app = settings.sharedContainerIdentifier == nil ? [] : [Self.fileName(session.app)]
        return ([folder(of: session, settings), "named"] + app + components + [String(rest)]).joined(separator: "/")
    }

    /// Returns a name for a finished file, in the form of Apple's: `CFNetworkDownload_3w5e11264sgsf.tmp`.
    ///
    /// The 64 random bits distinguish the files of all tasks, including tasks of programs that share a container. No
    /// program can choose the name of another program's file. The transfer stores the name.
    private static func temporaryName() -> String {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return "CFNetworkDownload_" + String(repeating: "0", count: 13 - number.count) + number + ".tmp"
    }

    /// Returns a name that is safe as a path component: without separators, not hidden, and not empty. Only the last
    /// 200 characters of the escaped name are kept, so longer names may collide.
    package static func fileName(_ name: String) -> String {
        let escaped = escaped(name)
        return escaped.hasPrefix("%.") || escaped == "%" ? escaped : String(escaped.suffix(200))
    }

    /// Returns a name without separators that is not hidden, not empty, and does not end in a percent sign, except for
    /// the empty name.
    private static func escaped(_ name: String) -> String {
        let escaped = name.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            // Two digits for every byte. Otherwise, the escapes of two names may be equal.
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }.joined()
        return escaped.hasPrefix(".") || escaped.isEmpty ? "%" + escaped : escaped
    }

    package func remove(_ file: String) { try? FileManager.default.removeItem(atPath: file) }
}

/// Error codes of `URLError`, to avoid a dependency on FoundationNetworking.
private enum URLErrorNumber {
    static let unsupportedURL = -1002
    static let fileDoesNotExist = -1100
}
