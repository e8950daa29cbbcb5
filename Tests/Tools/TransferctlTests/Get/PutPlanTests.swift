// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("The command line of 'put'")
struct PutPlanTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    /// Creates a file of three bytes named `name` in a new folder, and returns its path.
    private func file(_ name: String = "a b?.txt") throws -> String {
        let folder = NSTemporaryDirectory() + "transfer-put-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/" + name))
        return folder + "/" + name
    }

    private func plan(_ arguments: [String]) throws -> GetPlan {
        let command = try #require(try TransferControl.parseAsRoot(["put"] + arguments) as? PutCommand)
        return try GetPlan(command: command, now: now)
    }

    @Test("Reads the file's current size and attributes")
    func facts() throws {
        let path = try file()
        let specification = try plan([path, "http://h/x", "--content-type", "text/plain", "--header", "A: b"])
            .items[0].specification
        let source = try #require(specification.upload)
        #expect(source.path == path)
        #expect(source.size == 3)
        #expect(source.method == .put)
        #expect(source.contentType == "text/plain")
        #expect(source.resumption == .automatic)
        #expect(specification.traits.expectedBytesToSend == 3)
        #expect(specification.traits.expectedBytesToReceive == nil)
        #expect(specification.headers == [HeaderField(name: "A", value: "b")])
        #expect(DisplayName(of: specification).text == "a b?.txt")
        #expect(try plan([path, "http://h/x", "--no-resume"]).items[0].specification.upload?.resumption == .never)
    }

    @Test(
        "Appends the escaped file name to a folder URL, except for POST",
        arguments: [
            ("http://h", "PUT", "http://h/a%20b%3F.txt"), ("http://h/", "PUT", "http://h/a%20b%3F.txt"),
            ("http://h/d%2Fe/?q=/#f", "PUT", "http://h/d%2Fe/a%20b%3F.txt?q=/"), ("http://h/x", "PUT", "http://h/x"),
            ("http://h/files/", "post", "http://h/files/"),
        ])
    func targets(url: String, method: String, wanted: String) throws {
        #expect(try plan([try file(), url, "--method", method]).items[0].specification.url == wanted)
    }

    @Test("Method, file, and URL identify a transfer")
    func keys() throws {
        let path = try file()
        let commands = [
            [path, "http://h/x"], [path, "http://h/y"], [try file(), "http://h/x"],
            [path, "http://h/x", "--method", "post"], [path, "http://h/x", "-H", "A: b"],
        ]
        #expect(Set(try commands.map { try plan($0).items[0].key }).count == commands.count)
        #expect(try plan(commands[0]).items[0].key == plan(commands[0] + ["--no-resume"]).items[0].key)
    }

    @Test("Rejects invalid uploads with a reason")
    func refusals() throws {
        let path = try file()
        for (arguments, word) in [
            (["-", "http://h/x"], "standard input"), ([path + "x", "http://h/x"], "cannot be read"),
            (["/", "http://h/x"], "not a regular file"), ([path, "ftp://h/x"], "ftp"),
            ([path, "nonsense"], "not a valid URL"),
            ([path, "http://h/x", "--expect-bytes", "5"], "--expect-bytes"),
            ([path, "http://h/x", "--connections", "1"], "--connections"),
            ([path, "http://h/x", "--content-type", "a\nb: c"], "--content-type"),
        ] {
            let error = #expect(throws: UsageError.self, "\(arguments)") { try plan(arguments) }
            #expect(error?.description.contains(word) ?? false, "\(String(describing: error))")
        }
    }

    @Test(
        "Treats 2xx and 303 as success, and everything else as a failure",
        arguments: [200, 201, 204, 303, 304, 401, 500])
    func failures(status: Int) {
        let answer = UploadResponse(body: [], contentType: nil)
        let completion = TransferCompletion(status: status, file: nil, answer: answer)
        #expect(completion.isFailure == ![200, 201, 204, 303].contains(status))
        #expect(TransferText.finished(completion).hasPrefix(completion.isFailure ? "failed" : "uploaded"))
    }
}
