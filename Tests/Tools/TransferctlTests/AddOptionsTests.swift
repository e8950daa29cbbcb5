// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite("The options of 'transferctl add'")
struct AddOptionsTests {
    private func settings(_ arguments: String...) throws -> DaemonSettings {
        let command = try AddCommand.parse(["http://h/f"] + arguments)
        return try command.submission.settings(command)
    }

    private func applied(_ arguments: String...) throws -> TransferSpecification {
        let command = try AddCommand.parse(["http://h/f"] + arguments)
        let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 1))
        let plain = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: "/d", name: nil), traits: traits)
        return try command.submission.settings(command).applied(to: plain)
    }

    @Test("The help lists no option that the daemon does not support")
    func help() {
        let help = AddCommand.helpMessage(columns: 200)
        for option in ["--proxy", "--ca-file", "--yield", "--assume", "--parallel"] {
            #expect(!help.contains(option), "\(option)")
        }
        for option in ["--policy", "--limit-rate ", "--user-agent", "--on-complete"] {
            #expect(help.contains(option), "\(option)")
        }
        #expect(throws: (any Error).self) { try AddCommand.parse(["http://h/f", "--proxy", "http://p:1"]) }
    }

    @Test("Policy, rate, user agent, and program belong to each transfer")
    func values() throws {
        let specification = try applied(
            "--policy", "ladder:bat=0.25", "--limit-rate", "64K", "--user-agent", "me/1", "--on-complete", "/bin/echo",
            "a b", "--flag")
        #expect(specification.traits.policy == "ladder:bat=0.25")
        #expect(specification.rateLimit == 65_536)
        #expect(specification.headers == [HeaderField(name: "User-Agent", value: "me/1")])
        #expect(specification.onComplete == ["/bin/echo", "a b", "--flag"])
        #expect(try applied().isPlain)
    }

    @Test("A list of names with checksums becomes downloads from any number of folders")
    func fileSet() throws {
        let digest = String(repeating: "a", count: 64)
        let list = NSTemporaryDirectory() + "/SHA256SUMS-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: list) }
        try "\(digest)  d/a b.bin\n".write(toFile: list, atomically: true, encoding: .utf8)
        func parsed(_ arguments: String...) throws -> [GetPlan.Item] {
            try AddCommand.parse(["--set", list] + arguments).items(now: WallTime(secondsSinceEpoch: 1))
        }
        let items = try parsed("http://a/x", "http://b/y/", "--mirror", "http://c/", "-d", "/srv")
        let item = try #require(items.first?.specification)
        #expect(items.count == 1 && item.url == "http://a/x/d/a%20b.bin")
        #expect(item.mirrors?.urls == ["http://b/y/d/a%20b.bin", "http://c/d/a%20b.bin"])
        #expect((item.destination.directory, item.destination.name) == ("/srv/d", "a b.bin"))
        #expect(item.checksum?.hexDigest == digest)
        #expect(throws: UsageError.self) { try parsed() }
        #expect(throws: UsageError.self) { try parsed("http://a/", "-o", "x") }
    }

    @Test("A program without a slash is found in PATH, and one that does not exist is refused")
    func programs() throws {
        #expect(try settings("--on-complete", "sh", "-c", "true").onComplete?.first?.hasSuffix("/sh") == true)
        #expect(throws: UsageError.self) { try settings("--on-complete", "no-such-program-here") }
        #expect(throws: UsageError.self) { try settings("--on-complete", "/nonexistent/program") }
    }

    @Test("Wrong values are refused before anything is submitted")
    func wrong() {
        #expect(throws: UsageError.self) { try settings("--policy", "help") }
        #expect(throws: UsageError.self) { try settings("--limit-rate", "1M", "--limit-rate-each", "2M") }
        #expect(throws: UsageError.self) { try settings("--limit-rate", "0") }
        #expect(throws: UsageError.self) { try settings("--user-agent", "a", "--header", "User-Agent: b") }
        #expect(throws: UsageError.self) { try settings("--user-agent", "a\nb") }
    }

    @Test("An upload has a file, one URL, and the options of put; options for downloads are refused")
    func upload() throws {
        let now = WallTime(secondsSinceEpoch: 1_795_262_400)
        func items(_ arguments: String...) throws -> [GetPlan.Item] { try AddCommand.parse(arguments).items(now: now) }
        let folder = "http://h/folder/"
        let source = try #require(try items("--upload", #filePath, folder, "--no-resume").first?.specification)
        #expect(source.url == folder + "AddOptionsTests.swift" && source.upload?.resumption == .never)
        #expect(try items("--upload", #filePath, folder, "--method", "post").first?.specification.url == folder)
        for (wrong, word) in [
            ([folder, "--no-resume"], "require --upload"),
            (["--upload", #filePath, "http://h/a", "http://h/b"], "one URL"),
            (["--upload", #filePath, folder, "-o", "x"], "downloads only"),
            (["--upload", "-", folder], "standard input"),
        ] {
            let error = #expect(throws: UsageError.self) { try AddCommand.parse(wrong).items(now: now) }
            #expect(error?.description.contains(word) == true, "\(error as Any)")
        }
    }

    @Test("A negative number is refused with its range, not as a missing value")
    func negative() throws {
        let command = try GetCommand.parse(["http://h/f", "--retries", "-1", "--state-dir", "/tmp/unused"])
        do {
            _ = try command.plan(now: WallTime(secondsSinceEpoch: 1))
            Issue.record("the value was accepted")
        } catch let error as UsageError {
            #expect(error.description.contains("--retries -1 must be from 0 to 1000000"))
        }
    }

    @Test("A list of URLs is read from a pipe until its end")
    func pipe() throws {
        let path = NSTemporaryDirectory() + "list-\(UUID().uuidString.prefix(8))"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // A reader that stops early must fail this test, not end the process.
        signal(SIGPIPE, SIG_IGN)
        let writer = Thread {
            let handle = FileHandle(forWritingAtPath: path)
            for number in 0..<3 { handle?.write(Data("http://h/\(number)\n".utf8)) }
            try? handle?.close()
        }
        writer.start()
        let items = try GetPlan.targets([], input: path, try DestinationOptions.parse([]))
        #expect(items.map(\.url) == ["http://h/0", "http://h/1", "http://h/2"])
    }
}
