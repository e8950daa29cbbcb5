// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import HTTPSyntax
import Testing
import ToolSupport
import TransferFiles
import TransferModel

@testable import TransferBusProtocol
@testable import transferctl

/// The doors through which names of files arrive from outside have one rule (C8). A server's name is changed, and any
/// other name is refused.
@Suite("C8: names of files from outside")
struct FileNameDoorTests {
    /// Names with a fault, and what remains of each if a server chose it.
    private static let bad: [(name: String, kept: String)] =
        [
            "\u{0}", "\u{1}", "\u{7}", "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{1B}", "\u{1F}", "\u{7F}", "\u{85}",
            "\u{9B}",
            "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{180E}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}",
            "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2060}", "\u{2064}", "\u{2066}",
            "\u{2067}", "\u{2068}", "\u{2069}", "\u{3164}", "\u{FEFF}", "\u{FFA0}", "\u{FFF9}", "\u{E0041}",
        ].map { ("a\($0)b.txt", "ab.txt") } + [
            ("-rf", "_-rf"), ("--", "_--"), ("-\u{301}x", "_-\u{301}x"),
            (String(repeating: "é", count: 200), String(repeating: "é", count: 127)),
        ]

    /// Names that every door keeps.
    private static let good = [
        "a.txt", "a-b", "_-x", "a b", "ä", "e\u{301}", "日本.iso", "می\u{200C}خواهم", "क्\u{200D}ष", "👩‍👧.png", "❤️‍🔥",
        "葛\u{E0100}",
    ]

    private static func escaped(_ name: String) -> String {
        name.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
    }

    /// Returns the file names that remain after each door of servers.
    private static func served(_ name: String) -> Set<String> {
        let doors = [
            ("attachment; filename*=UTF-8''\(escaped(name))", "http://h/x"), (nil, "http://h/\(escaped(name))"),
        ]
        let quoted = ("attachment; filename=\"\(name)\"", "http://h/x")
        return Set((doors + [quoted]).map { ServerFileName.name(disposition: $0.0, url: $0.1) })
    }

    /// Returns the errors of the doors that refuse a name. An accepted name has the error "".
    private static func refusals(_ name: String) -> [String] {
        func error(_ body: () throws -> Void) -> String {
            do { try body() } catch { return "\(error)" }
            return ""
        }
        let digest = String(repeating: "0", count: 64)
        let hub = try? HubReference("hf:o/m", environment: [:])
        let page = try? JSONSerialization.data(withJSONObject: [["type": "file", "path": "d/" + name, "size": 1]])
        var errors = [
            error {
                let output = "/tmp/unused/" + name
                let command = try GetCommand.parse(["http://h/f", "--output", output, "--state-dir", "/tmp/unused"])
                _ = try GetPlan(command: command, now: WallTime(nanosecondsSinceEpoch: 0))
            },
            error {
                let values: [String: VariantValue] = ["url": .string("http://h/f"), "name": .string(name)]
                _ = try TransferRequest(values, submitted: WallTime(nanosecondsSinceEpoch: 0))
            },
            error { _ = try hub?.fileSet(hub?.files(in: page ?? Data(), at: "0") ?? [], name: "m") },
        ]
        // A list of lines cannot name a line break, and XML cannot contain most controls.
        if !name.contains(where: \.isNewline) {
            errors.append(
                error {
                    _ = try FileSet(checksums: "\(digest)  d/\(name)\n", name: "m", folders: ["http://h/"], from: "l")
                })
        }
        if name.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
            let list = "<metalink><file name='d/\(name)'><url>http://h/f</url></file></metalink>"
            errors.append(error { _ = try FileSet(metalink: list, name: "m", from: "l") })
        }
        return errors
    }

    @Test("A server's name loses what could mislead, and the file arrives", arguments: bad)
    func changed(name: String, kept: String) {
        #expect(Self.served(name) == [kept])
    }

    @Test("A name from a user, an app, or a list is refused for its fault", arguments: bad)
    func refused(name: String, kept: String) {
        let errors = Self.refusals(name)
        #expect(errors.count >= 3)
        for error in errors {
            let faults = ["is invisible", "begins with a dash", "more than 255 bytes", "the maximum is 255"]
            #expect(faults.contains { error.contains($0) }, "\(error.debugDescription)")
            #expect(error.printableLines == error || error.hasPrefix("'name'"), "\(error.debugDescription)")
        }
    }

    @Test("Other names stay, also with the joiners of words and emoji", arguments: good)
    func kept(name: String) {
        #expect(Self.served(name) == [name])
        #expect(Set(Self.refusals(name)) == [""])
    }

    @Test("A transfer is listed under its URL's name only if the name is safe to show", arguments: bad)
    func shown(name: String, kept: String) {
        let url = "http://h/" + Self.escaped(name)
        let specification = TransferSpecification(url: url, destination: Destination(directory: "/d", name: nil))
        let text = DisplayName(of: specification).text
        #expect(text == name || text == Self.escaped(name))
        #expect(!text.unicodeScalars.contains { $0.isUnsafe })
    }
}
