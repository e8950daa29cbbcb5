// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions

@testable import SessionFolders

@Suite("Resolution of an app's requests and destinations")
struct SessionFoldersTests {
    private let folders = SessionFolders(cache: "/cache", isProxied: { _, host in host == "proxied" }) {
        path, method, _ throws(TransferFailure) in
        guard path == "/file" else { throw TransferFailure(cause: .sourceChanged, message: "it is gone") }
        return UploadSource(method: method, path: path, size: 7, modified: 1)
    }
    private let now = WallTime(secondsSinceEpoch: 1_795_392_000)

    private func made(
        _ url: String, method: String? = nil, kind: TaskSnapshot.Kind = .download, app: String = "org.example.App",
        _ change: (inout TaskSnapshot, inout SessionSettings) -> Void = { _, _ in }
    ) throws -> TransferSpecification {
        var snapshot = TaskSnapshot(
            identifier: 3, kind: kind, request: RequestDescription(url: url, method: method))
        var settings = SessionSettings(identifier: "s")
        change(&snapshot, &settings)
        return try folders.specification(
            of: snapshot, in: SessionKey(app: app, identifier: "s"), by: settings, at: now)
    }

    @Test("S8: files are placed below the cache folder of the app, or of the session's container")
    func places() throws {
        #expect(try made("http://h/").destination.directory == "/cache/org.example.App/background-transfer")
        let shared = try made("http://h/") { $1.sharedContainerIdentifier = "group.example" }
        #expect(shared.destination.directory == "/cache/group.example/background-transfer")
        // Two programs with the same container use different names.
        let other = try made("http://h/", app: "org.example.Other") { $1.sharedContainerIdentifier = "group.example" }
        #expect(other.destination.name != shared.destination.name)
    }

    @Test(
        "E2: every finished file has a plain and unique temporary name, regardless of the names of app and session")
    func temporaryNames() throws {
        let names = try (0..<100).map { _ in try #require(made("http://h/", app: "/tmp/a b").destination.name) }
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.wholeMatch(of: /CFNetworkDownload_[0-9a-z]{13}\.tmp/) != nil, "\(name)") }
    }

    @Test(
        "no app or container name leads out of the cache folder",
        arguments: ["../../etc", "/usr/bin/app", ".", "..", "", "a/b", "ä\u{1F600}"])
    func names(_ name: String) throws {
        let directory = try made("http://h/", app: name).destination.directory
        let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
        #expect(parts.count == 4)
        #expect(parts[1] == "cache" && parts[3] == "background-transfer")
        #expect(!parts[2].isEmpty && !parts[2].hasPrefix("."))
    }

    @Test("A2: every session has its own folder for named files, below the folder of its app or container")
    func namedFiles() {
        let folders = SessionFolders(cache: "/cache", isProxied: { _, _ in false }) {
            path, _, _ throws(TransferFailure) in UploadSource(path: path, size: 0, modified: 0)
        }
        let long = String(repeating: "x", count: 250)
        let names = [
            "s", "S", "a/b", "a%2fb", "..", ".", String(long.prefix(200)), long, long + "..", long.prefix(200) + "..",
        ]
        let paths = names.map {
            folders.namedFilesFolder(of: SessionKey(app: "org.a", identifier: $0), by: SessionSettings(identifier: $0))
        }
        #expect(Set(paths).count == names.count)
        for path in paths {
            let parts = path.dropFirst("/cache/org.a/background-transfer/named/".count).split(separator: "/")
            #expect(path.hasPrefix("/cache/org.a/background-transfer/named/") && !parts.isEmpty)
            for part in parts { #expect(!part.hasPrefix(".") && part.utf8.count <= 201) }
        }
        var settings = SessionSettings(identifier: "s")
        settings.sharedContainerIdentifier = "group.a"
        for app in ["org.a", "org.b"] {
            #expect(
                folders.namedFilesFolder(of: SessionKey(app: app, identifier: "s"), by: settings)
                    == "/cache/group.a/background-transfer/named/\(app)/s")
        }
    }

    @Test("two names have two folders, whatever characters they contain")
    func distinctNames() {
        let names = ["\t1", "\u{91}", "%91", "%091", "\t", "9", "a\u{0}b", "a0b"]
        #expect(Set(names.map(SessionFolders.fileName)).count == names.count)
        #expect(SessionFolders.fileName("\t1") == "%091")
    }

    @Test("S9, S10: a request's timeout and header fields take precedence, regardless of their case")
    func fields() throws {
        let specification = try made("http://u:p@Host:81/a?b#c") { task, settings in
            settings.additionalHeaders = ["A": "session", "b": "session"]
            settings.requestTimeout = 5.2
            task.request.headers = ["a": "own"]
        }
        #expect(
            specification.headers == [HeaderField(name: "a", value: "own"), HeaderField(name: "b", value: "session")])
        #expect(specification.idleTimeoutSeconds == 6)
        #expect(specification.url == "http://Host:81/a?b")
        #expect(specification.credential == Credential(user: "u", password: "p"))
        #expect(specification.traits.host == "http://host:81")
        #expect(specification.isPrivate)
        #expect(specification.keepsErrorBody && specification.keepsResponseHead && specification.asksForCredentials)
    }

    @Test("a server on this machine is a loopback host unless a proxy is used")
    func loopback() throws {
        #expect(try made("http://localhost/").traits.isLoopback)
        #expect(try !made("http://h/").traits.isLoopback)
    }

    @Test("T1: an unsupported request ends with an error and a reason", arguments: ["ftp://h/", "http://", "x"])
    func refused(_ url: String) {
        #expect { try made(url) } throws: { ($0 as? UnusableTask)?.failure.code == -1002 }
        #expect { try made("http://h/", method: "TRACE") } throws: {
            ($0 as? UnusableTask)?.failure.message.contains("TRACE") == true
        }
        #expect(throws: UnusableTask.self) { try made("http://h/") { task, _ in task.request.body = [1] } }
        #expect { try made("http://h/", kind: .upload(path: "/gone")) } throws: {
            ($0 as? UnusableTask)?.failure == FailureDescription(code: -1100, message: "it is gone")
        }
    }

    @Test("T1: a download may have its own method and body, and an upload may use PATCH")
    func methods() throws {
        let download = try made("http://h/", method: "post") { task, _ in task.request.body = [1, 2] }
        #expect(download.body == RequestBody(method: "POST", bytes: [1, 2]))
        #expect(!download.isPlain && download.redacted.body == nil)
        #expect(try made("http://h/", method: "DELETE").body == RequestBody(method: "DELETE", bytes: []))
        let upload = try made("http://h/", method: "PATCH", kind: .upload(path: "/file"))
        #expect(upload.upload?.method == .patch)
    }

    @Test("an upload uses POST by default, and reports its size")
    func upload() throws {
        let specification = try made("http://h/", kind: .upload(path: "/file"))
        #expect(specification.upload?.method == .post)
        #expect(specification.traits.expectedBytesToSend == 7)
        #expect(try made("http://h/", method: "put", kind: .upload(path: "/file")).upload?.method == .put)
    }
}
