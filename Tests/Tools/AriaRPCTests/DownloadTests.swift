// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Synchronization
import Testing
import TransferModel

@testable import AriaRPC

/// Tests of the methods that add, list, and control downloads.
@Suite("D5: downloads of RPC callers")
struct DownloadTests {
    @Test("a download waits with its reason, and is listed with the keys that aria2's clients read")
    func waiting() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let gid = try await fixture.add("http://user:secret@example.org/a", ["out": "b", "dir": "sub"])
        #expect(gid == "0000000000000001")
        let status = try await fixture.call(.status, gid)
        #expect(
            status["status"] == "waiting" && status["transferd.why"] == "on battery — starts 10 s after you plug in")
        #expect(status["dir"] == .string(fixture.folder.path + "/sub"))
        #expect(status["files"]?[0]?["path"] == .string(fixture.folder.path + "/sub/b"))
        #expect(status["files"]?[0]?["uris"]?[0]?["uri"] == "http://example.org/a", "no secrets")
        for key in ["totalLength", "completedLength", "downloadSpeed", "uploadSpeed", "connections", "numPieces"] {
            guard case .string(let text)? = status[key] else { Issue.record("\(key)"); continue }
            #expect(Int(text) != nil, "\(key) is a number as a text")
        }
        #expect(fixture.manager.specification(1)?.traits.kind == .discretionary)
        let keys = try await fixture.call(.status, gid, .array(["gid", "status"]))
        #expect(keys == .object(["gid": gid, "status": "waiting"]))
    }

    @Test("the states have aria2's names and codes")
    func states() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let gid = try await fixture.add()
        fixture.manager.set(1) {
            $0.state = .running; $0.rate = 7
        }
        #expect(try await fixture.call(.listActive)[0]?["downloadSpeed"] == "7")
        #expect(try await fixture.call(.getGlobalStat)["numActive"] == "1")
        fixture.manager.set(1) {
            $0.state = .failed; $0.errorCode = "status"; $0.status = 404; $0.error = "not there"
        }
        let failed = try await fixture.call(.status, gid)
        #expect(failed["status"] == "error" && failed["errorCode"] == "3" && failed["errorMessage"] == "not there")
        #expect(failed["transferd.why"] == nil)
        fixture.manager.set(1) {
            $0.state = .finished; $0.path = "/x/y"
        }
        let done = try await fixture.call(.listStopped, .number(0), .number(5))
        #expect(done[0]?["status"] == "complete" && done[0]?["dir"] == "/x" && done[0]?["errorCode"] == "0")
        #expect(try await fixture.call(.removeDownloadResult, gid) == "OK")
        #expect(try await fixture.fault(.status, gid).contains("No such download"))
    }

    @Test("pause, unpause, remove, and their variants for all")
    func control() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let gid = try await fixture.add("http://example.org/a", ["pause": "true"])
        #expect(fixture.manager.specification(1)?.traits.constraints.notBefore == nil)
        #expect(try await fixture.call(.status, gid)["status"] == "paused")
        #expect(try await fixture.fault(.pause, gid).contains("already paused"))
        #expect(try await fixture.call(.unpause, gid) == gid)
        #expect(try await fixture.fault(.unpause, gid).contains("not paused"))
        _ = try await fixture.add()
        #expect(try await fixture.call(.pauseAll) == "OK")
        #expect(try await fixture.call(.unpauseAll) == "OK")
        #expect(try await fixture.fault(.removeDownloadResult, gid).contains("has not ended"))
        #expect(try await fixture.call(.remove, gid) == gid)
        #expect(try await fixture.fault(.forceRemove, gid).contains("already ended"))
        #expect(try await fixture.call(.purgeDownloadResult) == "OK")
        #expect(try await fixture.call(.listStopped, .number(0), .number(5)).count == 0)
        for text in ["1", "zzzzzzzzzzzzzzzz", "00000000000000ff", "-000000000000001", ""] {
            #expect(try await !fixture.fault(.status, .string(text)).isEmpty)
        }
    }

    @Test("positions: set, relative, from the end, and a page from behind")
    func positions() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        var gids: [JSONValue] = []
        for number in 0..<4 { gids.append(try await fixture.add("http://example.org/\(number)")) }
        func order(_ offset: Double = 0) async throws -> [JSONValue?] {
            let page = try await fixture.call(.listWaiting, .number(offset), .number(10), .array(["gid"]))
            return (0..<(page.count ?? 0)).map { page[$0]?["gid"] }
        }
        #expect(try await fixture.call(.changePosition, gids[3], .number(0), "POS_SET") == .number(0))
        #expect(try await order() == [gids[3], gids[0], gids[1], gids[2]])
        #expect(try await fixture.call(.changePosition, gids[3], .number(2), "POS_CUR") == .number(2))
        #expect(try await order() == [gids[0], gids[1], gids[3], gids[2]])
        #expect(try await fixture.call(.changePosition, gids[0], .number(0), "POS_END") == .number(3))
        #expect(try await order() == [gids[1], gids[3], gids[2], gids[0]])
        #expect(try await fixture.call(.changePosition, gids[0], .number(-99), "POS_CUR") == .number(0))
        #expect(try await order(-1) == [gids[2], gids[3], gids[1], gids[0]])
        #expect(try await fixture.fault(.changePosition, gids[0], .number(0), "POS_X").contains("POS_SET"))
        for number in [Double(Int.min), -Double(Int.min), 1e300, .infinity, 0.5] {
            let fault = try await fixture.fault(.changePosition, gids[0], .number(number), "POS_CUR")
            #expect(fault.contains("a whole number"), "\(number)")
        }
        let first = try await fixture.call(.addURI, .array(["http://example.org/4"]), .object([:]), .number(1))
        #expect(try await order()[1] == first)
    }

    @Test("every possible move puts a download where it belongs, with equal priorities and with all different ones")
    func moves() {
        for priorities in [
            [500, 500, 500, 500, 500], [900, 899, 898, 897, 896], [1000, 1000, 0, 0, 0], [7, 7, 6, 6, 5],
        ] {
            let list = DownloadOrder.sorted(
                priorities.enumerated().map { index, priority in
                    TransferStatus(
                        id: TransferID(Int64(index + 1)), url: "", name: "", app: "", isUpload: false, kind: .normal,
                        priority: priority, state: .waiting, submitted: WallTime(secondsSinceEpoch: 0))
                })
            for index in list.indices {
                for target in list.indices {
                    var expected = list.map(\.id)
                    expected.insert(expected.remove(at: index), at: target)
                    let changes = DownloadOrder.priorities(moving: index, to: target, in: list) ?? [:]
                    let moved = list.map { status in
                        var status = status
                        status.priority = changes[status.id] ?? status.priority
                        return status
                    }
                    #expect(DownloadOrder.sorted(moved).map(\.id) == expected, "\(priorities) \(index) \(target)")
                    #expect(changes.values.allSatisfy { (0...1000).contains($0) })
                }
            }
        }
    }

    @Test(
        "refused options name what is wrong",
        arguments: [
            (["on-download-complete": "/bin/sh"], "not supported"), (["load-cookies": "/etc/passwd"], "not supported"),
            (["save-session": "/tmp/x"], "not supported"), (["conf-path": "/tmp/x"], "not supported"),
            (["gid": "0000000000000001"], "not supported"), (["all-proxy": "http://x"], "not supported"),
            (["allow-overwrite": "true"], "can only be 'false'"),
            (["check-certificate": "false"], "can only be 'true'"),
            (["dir": "/etc"], "not beneath"), (["dir": "../x"], "'..'"), (["out": "a/../../b"], "'..'"),
            (["out": "/etc/x"], "relative"), (["out": "a\u{0}b"], "control"),
            (["out": "a\u{202E}fdp.exe"], "direction"), (["dir": "a\u{2028}b"], "control"),
            (["out": "a\u{200B}b"], "invisible"), (["out": "-rf"], "begins with a dash"), (["dir": "a/-b"], "dash"),
            (["out": .string(String(repeating: "x", count: 256))], "255 bytes"), (["split": "0"], "'split'"),
            (["checksum": "sha-256=zz"], "checksum"), (["checksum": "md5=00"], "checksum"),
            (["header": "nocolon"], "header"),
            (["max-download-limit": "-1"], "max-download-limit"),
            (["max-download-limit": "9223372036854775807M"], "number of bytes"),
            (["timeout": "x"], "timeout"), (["transferd.kind": "userInitiated"], "normal or discretionary"),
            (["pause": "maybe"], "true or false"),
            (["user-agent": .string(String(repeating: "x", count: 70_000))], "bytes"),
            (["dir": .array(["a", "b"])], "one text"), (["split": .null], "must be a text"),
        ] as [([String: JSONValue], String)])
    func refusedOptions(options: [String: JSONValue], part: String) async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let message = try await fixture.fault(.addURI, .array(["http://example.org/a"]), .object(options))
        #expect(message.contains(part), "\(message)")
        #expect(fixture.manager.state.withLock { $0.transfers.isEmpty })
    }

    @Test("accepted options reach the daemon, and changed global options are defaults")
    func acceptedOptions() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        #expect(try await fixture.call(.changeGlobalOption, .object(["dir": "all", "split": "4"])) == "OK")
        let digest = String(repeating: "ab", count: 32)
        let gid = try await fixture.call(
            .addURI, .array(["http://one.example/f", "http://two.example/f"]),
            .object([
                "header": .array(["A: b", "C:d"]), "user-agent": "me", "max-download-limit": "2M", "max-tries": "3",
                "checksum": .string("sha-256=" + digest), "http-user": "u", "http-passwd": "p", "remote-time": "true",
                "timeout": .number(9), "continue": "true", "min-split-size": "1M", "transferd.kind": "normal",
                "transferd.priority": "700", "max-connection-per-server": "2",
            ]))
        let specification = try #require(fixture.manager.specification(1))
        #expect(specification.headers.map { "\($0.name)=\($0.value)" } == ["A=b", "C=d", "User-Agent=me"])
        #expect(specification.rateLimit == 2 << 20 && specification.traits.maximumAttempts == 3)
        #expect(specification.checksum?.hexDigest == digest && specification.idleTimeoutSeconds == 9)
        #expect(specification.credential == Credential(user: "u", password: "p") && specification.usesRemoteTime)
        #expect(specification.connections == 2 && specification.mirrors?.urls == ["http://two.example/f"])
        #expect(specification.traits.kind == .normal && specification.traits.priority == 700)
        #expect(specification.destination.directory == fixture.folder.path + "/all")
        #expect(specification.destination.collision == .rename)
        let options = try await fixture.call(.getOption, gid)
        #expect(options["user-agent"] == "me" && options["http-passwd"] == nil && options["header"] == nil)
        #expect(try await fixture.fault(.changeOption, gid, .object(["dir": "x"])).contains("cannot be changed later"))
        #expect(try await fixture.call(.changeOption, gid, .object(["transferd.priority": "3"])) == "OK")
        #expect(fixture.manager.state.withLock { $0.transfers[TransferID(1)]?.priority } == 3)
    }

    @Test("default header fields apply until an empty list removes them, and are never shown")
    func defaultHeaders() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        for (number, fields) in [(1, ["Cookie: a=b"]), (2, [])] as [(Int64, [String])] {
            let list = JSONValue.array(fields.map { .string($0) })
            #expect(try await fixture.call(.changeGlobalOption, .object(["header": list])) == "OK")
            #expect(try await fixture.call(.getGlobalOption)["header"] == nil)
            _ = try await fixture.call(.addURI, .array(["http://one.example/f"]))
            let specification = try #require(fixture.manager.specification(number))
            #expect(specification.headers.map { "\($0.name): \($0.value)" } == fields)
        }
    }

    @Test("a Metalink document adds its files with mirrors, sizes, and checksums; torrents are refused by name")
    func metalink() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let digest = String(repeating: "cd", count: 32)
        let text = """
            <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
            <file name="a/b"><size>5</size><hash type="sha-256">\(digest)</hash>
            <url>http://one.example/b</url><url>http://two.example/b</url></file>
            <file name="c"><url>http://one.example/c</url></file></metalink>
            """
        let gids = try await fixture.call(.addMetalink, .string(Data(text.utf8).base64EncodedString()))
        #expect(gids == .array(["0000000000000001", "0000000000000002"]))
        let first = try #require(fixture.manager.specification(1))
        #expect(first.checksum?.hexDigest == digest && first.traits.expectedBytesToReceive == 5)
        #expect(first.destination.directory == fixture.folder.path + "/a" && first.destination.name == "b")
        #expect(first.mirrors?.urls == ["http://two.example/b"])
        let hostile = text.replacing("a/b", with: "../b")
        for refused in [hostile, "<x/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><metalink/>"] {
            let encoded = JSONValue.string(Data(refused.utf8).base64EncodedString())
            #expect(try await !fixture.fault(.addMetalink, encoded).isEmpty)
        }
        #expect(try await fixture.fault(.addMetalink, "%%%").contains("Base64"))
        #expect(try await fixture.fault(.addTorrent, "AA==").contains("BitTorrent is not supported"))
        #expect(try await fixture.fault(.addURI, .array(["magnet:?xt=urn:btih:1"])).contains("BitTorrent"))
        #expect(try await fixture.fault(.addURI, .array([])).contains("no URI"))
        #expect(fixture.manager.state.withLock { $0.transfers.count } == 2)
    }

    @Test("a symbolic link beneath the folder leads nowhere else")
    func links() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        try FileManager.default.createSymbolicLink(atPath: fixture.folder.path + "/out", withDestinationPath: "/tmp")
        try FileManager.default.createSymbolicLink(atPath: fixture.folder.path + "/up", withDestinationPath: "..")
        for name in ["out", "up", "out/sub"] {
            let message = try await fixture.fault(
                .addURI, .array(["http://example.org/a"]), .object(["dir": .string(name)]))
            #expect(message.contains("cannot use the folder"), "\(message)")
        }
    }

    @Test("a notification tells each new state once")
    func news() async {
        let feed = NewsFeed()
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let subscription = await feed.subscribe { continuation.yield($0) }
        var status = TransferStatus(
            id: TransferID(26), url: "", name: "", app: "", isUpload: false, kind: .normal, priority: 500,
            state: .waiting, submitted: WallTime(secondsSinceEpoch: 0))
        for state in [TransferStatus.State.waiting, .running, .running, .paused, .waiting, .running, .finished] {
            status.state = state
            await feed.report(status)
        }
        await feed.cancel(subscription)
        status.state = .running
        await feed.report(status)
        continuation.finish()
        var methods: [String] = []
        for await text in stream {
            let message = try? JSONValue(data: Data(text.utf8))
            #expect(message?["params"]?[0]?["gid"] == "000000000000001a")
            if case .string(let method)? = message?["method"] { methods.append(method) }
        }
        let names = ["Start", "Pause", "Start", "Complete"].map { "aria2.onDownload" + $0 }
        #expect(methods == names)
    }
}
