// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing
import ToolSupport
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("Options that users of curl and wget know")
struct GetOptionsTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private func plan(_ arguments: [String]) throws -> GetPlan {
        try GetPlan(command: GetCommand.parse(arguments + ["--state-dir", "/tmp/unused"]), now: now)
    }

    private func specification(_ arguments: [String]) throws -> TransferSpecification {
        try #require(try plan(arguments).items.first).specification
    }

    private func message(_ arguments: [String]) -> String {
        #expect(throws: UsageError.self) { try plan(arguments) }?.description ?? ""
    }

    /// Returns the path of a new file.
    private func file(_ text: String, named name: String = "file") throws -> String {
        try file(Array(text.utf8), named: name)
    }

    private func file(_ bytes: [UInt8], named name: String = "file") throws -> String {
        let folder = NSTemporaryDirectory() + "transfer-options-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
        return folder + "/" + name
    }

    @Test("-O takes the name from the URL, and -c and -i need no long names")
    func short() throws {
        #expect(try specification(["-O", "http://h/a%20b.iso?x=1"]).destination.name == "a b.iso")
        #expect(try specification(["http://h/a.iso"]).destination.name == nil)
        #expect(try specification(["-c", "http://h/a.iso"]).destination.name == nil)
        let list = try file("http://h/1\nhttp://h/2\n")
        #expect(try plan(["-i", list]).items.map(\.specification.url) == ["http://h/1", "http://h/2"])
        #expect(message(["-O", "-o", "x", "http://h/a"]).contains("mutually exclusive"))
        #expect(message(["-O", "x.iso", "http://h/a"]).contains("-O takes no name"))
    }

    @Test("N1: the URLs of a list are escaped once, also if their bytes are not UTF-8")
    func listedURLs() throws {
        let urls = "http://h/a b%20[é]\nhttp://bücher.example/%\n"
        let expected = ["http://h/a%20b%20%5B%C3%A9%5D", "http://xn--bcher-kva.example/%25"]
        #expect(try plan(["-i", file(urls)]).items.map(\.specification.url) == expected)
        let latin1 = Array("http://h/caf".utf8) + [0xFC, 10]
        #expect(try plan(["-i", file(latin1)]).items.map(\.specification.url) == ["http://h/caf%FC"])
        #expect(message(["-i", try file(Array("http://h/1\tout=caf".utf8) + [0xFC])]).contains("not UTF-8"))
    }

    @Test("A file that a list names twice is fetched once, unless the lines disagree")
    func duplicates() throws {
        let list = try file("http://h/1\nhttp://h/2\nhttp://h/1\nhttp://h/1\tout=x\nhttp://H/1#f\nhttp://h/%31\n")
        #expect(
            try plan(["-i", list]).items.map(\.specification.url) == [
                "http://h/1", "http://h/2", "http://h/1", "http://H/1", "http://h/%31",
            ])
        #expect(try plan(["http://h/1", "http://h/1", "-d", "/d"]).items.count == 1)
        let add = try AddCommand.parse(["http://h/1", "http://h/1"])
        #expect(try add.items(now: now).count == 1)
        let sum = String(repeating: "a", count: 64)
        let contradiction = try file("http://h/1\tout=x\nhttp://h/1\tout=x\tchecksum=sha256:\(sum)\n")
        #expect(message(["-i", contradiction]).contains("disagree"))
    }

    @Test("A timeout has a unit or is in seconds", arguments: [("5s", 5), ("2m", 120), ("7", 7), ("1d", 86_400)])
    func timeout(text: String, seconds: Int) throws {
        #expect(try specification(["--timeout", text, "http://h/f"]).idleTimeoutSeconds == seconds)
    }

    @Test("A timeout out of range names the option", arguments: ["0", "2d", "fast", "5x", "1.5s"])
    func badTimeout(text: String) {
        #expect(message(["--timeout", text, "http://h/f"]).contains("--timeout '\(text)'"))
    }

    @Test("--user takes precedence over the URL, and excludes other logins")
    func user() throws {
        let specification = try specification(["-u", "me:pw", "http://a:b@h/f"])
        #expect(specification.credential == Credential(user: "me", password: "pw"))
        #expect(message(["-u", "me:pw", "--header", "Authorization: x", "http://h/"]).contains("mutually exclusive"))
        #expect(message(["-u", "me:pw", "--netrc", "http://h/"]).contains("mutually exclusive"))
    }

    @Test("--referer is sent without user, password, and fragment")
    func referer() throws {
        let fields = try specification(["-e", "https://u:p@h/page?q=1#x", "http://h/f"]).headers
        #expect(fields == [HeaderField(name: "Referer", value: "https://h/page?q=1")])
        #expect(message(["--referer", "page", "http://h/f"]).contains("--referer 'page'"))
    }

    @Test("Cookies go to the URLs they are meant for, and do not identify the transfer")
    func cookies() throws {
        let jar = try file("h\tFALSE\t/\tFALSE\t0\tid\tsecret\n")
        let items = try plan(["-b", jar, "http://h/f", "http://g/f"]).items
        #expect(items[0].specification.cookies?.map(\.name) == ["id"])
        #expect(items[1].specification.cookies == nil)
        #expect(items.allSatisfy { $0.specification.headers.isEmpty })
        #expect(try plan(["http://h/f"]).items[0].key == items[0].key)
        #expect(message(["-b", jar, "--header", "Cookie: a=b", "http://h/f"]).contains("mutually exclusive"))
        #expect(message(["-b", "/nonexistent", "http://h/f"]).contains("for --cookies"))
    }

    @Test("--checksums gives each file its own checksum, and a file without one is refused")
    func checksums() throws {
        let (a, b) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
        let sums = try file("\(a)  one.iso\n\(b)  two.iso\n", named: "SHA256SUMS")
        let items = try plan(["--checksums", sums, "http://h/one.iso", "http://h/x/two.iso"]).items
        #expect(items.map(\.specification.checksum?.hexDigest) == [a, b])
        #expect(try specification(["--checksums", sums, "-o", "two.iso", "http://h/latest"]).checksum?.hexDigest == b)
        #expect(message(["--checksums", sums, "http://h/three.iso"]).contains("no checksum of 'three.iso'"))
    }

    @Test("--allow-html accepts web pages, in get, add, and get.toml, and is no other transfer")
    func allowHTML() throws {
        #expect(try specification(["--allow-html", "http://h/1"]).acceptsWebPages)
        #expect(try !specification(["http://h/1"]).acceptsWebPages)
        #expect(try plan(["--allow-html", "http://h/1"]).items[0].key == plan(["http://h/1"]).items[0].key)
        #expect(try AddCommand.parse(["--allow-html", "http://h/1"]).destination.allowHTML)
        #expect(GetDefaults.kinds["allow-html"] == .flag)
    }

    @Test("The options of a line of a list win over those of the command line")
    func inputOptions() throws {
        let list = try file(
            "http://h/1\tdir=/d\theader=x-a: 2\theader=Range: bytes=0-\tuser-agent=own\nhttp://h/2\tout=n\n")
        let items = try plan(["-d", "/e", "-H", "X-A: 1", "-H", "X-B: 3", "-i", list]).items.map(\.specification)
        #expect(items.map(\.destination.directory) == ["/d", "/e"])
        #expect(
            items.map { $0.headers.map { "\($0.name): \($0.value)" } } == [
                ["X-B: 3", "x-a: 2", "User-Agent: own"], ["X-A: 1", "X-B: 3"],
            ])
    }

    @Test("--insecure applies to the transfers of this command")
    func insecure() throws {
        #expect(try plan(["-k", "https://h/1", "https://h/2"]).items.allSatisfy(\.specification.acceptsAnyCertificate))
        #expect(try !specification(["https://h/1"]).acceptsAnyCertificate)
        #expect(try plan(["-k", "https://h/1"]).items[0].key == plan(["https://h/1"]).items[0].key)
        #expect(throws: (any Error).self) { try AddCommand.parse(["--insecure", "https://h/1"]) }
    }

    @Test("--output - keeps the file private in the state folder until it is complete")
    func output() throws {
        let plan = try plan(["-o", "-", "http://h/d/f.tar"])
        let specification = plan.items[0].specification
        #expect(plan.outputFile?.hasPrefix("/tmp/unused/get/output/") == true)
        #expect(plan.outputFile == specification.destination.directory + "/f.tar")
        #expect(specification.isPrivate && specification.destination.collision == .overwrite)
        #expect(message(["-o", "-", "--json", "http://h/f"]).contains("standard output"))
        #expect(message(["-o", "-", "-d", "x", "http://h/f"]).contains("writes no file"))
        #expect(message(["-o", "-", "http://h/f", "http://h/g"]).contains("single URL"))
    }
}
