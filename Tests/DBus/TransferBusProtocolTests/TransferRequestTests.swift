// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import TransferBusProtocol

@Suite struct TransferRequestTests {
    private static let now = WallTime(secondsSinceEpoch: 1_700_000_000)

    /// A download that uses every option.
    private static var full: TransferRequest {
        let constraints = Constraints(
            power: .acOrBattery(above: 40), linkKinds: .only([LinkKinds(.wifi), LinkKinds(.ethernet)]),
            metered: .unmetered,
            notBefore: NotBeforeConstraint(WallTime(secondsSinceEpoch: 1_700_000_100)),
            deadline: DeadlineConstraint(WallTime(secondsSinceEpoch: 1_700_009_000)),
            window: WindowConstraint(windows: [.init(start: 3600, end: 7200), .init(start: 600_000, end: 610_000)]),
            connection: ConnectionConstraint(allowed: ["home"], denied: ["café"], allowsRoaming: false))
        var specification = TransferSpecification(
            url: "https://example.com/a?b=c", headers: [HeaderField(name: "X-A", value: "1\t2")],
            destination: Destination(directory: "/tmp/d", name: "n", collision: .fail),
            checksum: Checksum(algorithm: .sha256, hexDigest: String(repeating: "a", count: 64)), idleTimeoutSeconds: 7,
            usesRemoteTime: true, rateLimit: 1000,
            traits: TransferTraits(
                kind: .discretionary, constraints: constraints, priority: 750, host: "", expectedBytesToReceive: 5,
                maximumAttempts: 3, submitted: now, session: "s"))
        specification.connections = 4
        specification.acceptsWebPages = true
        specification.mirrors = ["http://mirror/b", "http://other/b"]
        specification.cookies = ["a\tFALSE\t/x\tTRUE\t0\tn\tv"].compactMap { Cookie(line: $0) }
        specification.credential = Credential(user: "u", password: "p")
        return TransferRequest(specification)
    }

    @Test("A download survives a round trip over the bus")
    func download() throws {
        #expect(try TransferRequest(Self.full.fields, submitted: Self.now) == Self.full)
        let plain = try TransferRequest(["url": .string("http://a/")], submitted: Self.now)
        #expect(try TransferRequest(plain.fields, submitted: Self.now) == plain)
        #expect(plain.specification.traits.kind == .normal)
        #expect(plain.specification.traits.constraints == Constraints())
    }

    @Test("An upload survives a round trip over the bus")
    func upload() throws {
        var request = TransferRequest(
            TransferSpecification(
                url: "http://a/", destination: Destination(directory: "", name: nil),
                traits: TransferTraits(kind: .userInitiated, host: "", submitted: Self.now)),
            upload: .init(path: "/tmp/f", method: .post, contentType: "text/plain", resumption: .never))
        request.specification.traits.session = "s"
        #expect(try TransferRequest(request.fields, submitted: Self.now) == request)
    }

    @Test(
        "Invalid values are refused, and the error names the key",
        arguments: [
            ("url", nil), ("speed", .integer(1)), ("priority", .integer(1001)), ("priority", .string("high")),
            ("kind", .string("urgent")), ("directory", .string("relative")), ("name", .string("a/b")),
            ("name", .string("..")), ("checksum", .string("md5:00")), ("checksum", .string("sha256:zz")),
            ("headers", .list([.list([.string("a b"), .string("")])])),
            ("headers", .list([.list([.string("a"), .string("x\r\nEvil: 1")])])), ("headers", .list([.string("a")])),
            ("headers", .list([.list([.string("Range"), .string("bytes=1-")])])), ("idle-timeout", .integer(0)),
            ("cookies", .list([.string("a b")])), ("mirrors", .string("http://m/")),
            ("mirrors", .list([.string("")])),
            ("mirrors", .list(Array(repeating: .string("http://m/"), count: 33))), ("connections", .integer(99)),
            ("attempts", .integer(0)),
            ("link-kinds", .list([.string("pigeon")])), ("battery-above", .integer(101)), ("deadline", .string("soon")),
            ("windows", .list([.list([.integer(5), .integer(5)])])), ("metered", .string("maybe")),
            ("upload-file", .string("relative")), ("rate-limit", .integer(-1)), ("roaming", .string("no")),
        ] as [(String, VariantValue?)])
    func refused(key: String, value: VariantValue?) {
        var fields: [String: VariantValue] = ["url": .string("http://a/")]
        fields[key] = value
        do {
            _ = try TransferRequest(fields, submitted: Self.now)
            Issue.record("the value was accepted")
        } catch let fault as BusFault {
            #expect(fault.code == .invalidArgument)
            #expect(fault.message.contains("'\(key)'"), "\(fault.message)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("The keys of downloads are refused for an upload")
    func mixed() {
        let fields: [String: VariantValue] = [
            "url": .string("http://a/"), "upload-file": .string("/f"), "checksum": .string("sha256:"),
        ]
        #expect(throws: BusFault.self) { try TransferRequest(fields, submitted: Self.now) }
    }

    @Test("An upload uses PUT or POST; PATCH is for tasks of sessions")
    func methods() throws {
        func upload(_ method: String) throws -> UploadSource.Method? {
            let fields: [String: VariantValue] = [
                "url": .string("http://a/"), "upload-file": .string("/f"), "method": .string(method),
            ]
            return try TransferRequest(fields, submitted: Self.now).upload?.method
        }
        #expect(try upload("PUT") == .put && upload("POST") == .post)
        let fault = #expect(throws: BusFault.self) { try upload("PATCH") }
        #expect(fault?.message.contains("'method' must be PUT or POST") == true)
    }

    @Test("A transfer's status survives a round trip over the bus")
    func status() throws {
        var status = TransferStatus(
            id: TransferID(7), url: "http://a/", name: "n", app: "app", session: "s", isUpload: true, kind: .normal,
            priority: 3, state: .failed, submitted: WallTime(nanosecondsSinceEpoch: 1_700_000_000_123_000_000))
        #expect(try TransferStatus(status.fields) == status)
        (status.bytes, status.total, status.rate, status.attempt) = (1, 2, 3, 4)
        (status.sentence, status.path, status.status) = ("why", "/p", 404)
        (status.errorCode, status.error) = ("status", "no")
        #expect(try TransferStatus(status.fields) == status)
        #expect(try TransferStatus(status.fields.merging(["later": .bool(true)]) { $1 }) == status)
        var without = status.fields
        without["state"] = nil
        #expect(throws: BusFault.self) { try TransferStatus(without) }
    }
}
