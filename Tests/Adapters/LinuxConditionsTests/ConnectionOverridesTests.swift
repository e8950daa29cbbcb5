// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

@testable import LinuxConditions

@Suite("Overrides for connections")
struct ConnectionOverridesTests {
    @Test("Overrides survive a round trip for any network name")
    func roundTrip() throws {
        var overrides = ConnectionOverrides()
        for name in ["Home", "Train \"Wi-Fi\" \\ 2", "tab\tnew\nline\r\u{1}\u{7F}", "Müller ☎️", "#1 = [x]", " "] {
            overrides.settings[name] = name.count % 2 == 0 ? .yes : .no
        }
        #expect(try ConnectionOverrides(parsing: overrides.text) == overrides)
        #expect(try ConnectionOverrides(parsing: ConnectionOverrides().text) == ConnectionOverrides())
        #expect(try ConnectionOverrides(parsing: "") == ConnectionOverrides())
    }

    @Test("Comments, spaces, bare names, and other line endings are accepted")
    func loose() throws {
        let text = "# words\r\n\r\n  [ metered ] # table\r\nwired_1-a = \"yes\"#!\r\n\t\"a\\u00e9\"=\"no\""
        #expect(try ConnectionOverrides(parsing: text).settings == ["wired_1-a": .yes, "aé": .no])
    }

    @Test(
        "An error names its line and the expected content",
        arguments: [
            ("a = \"yes\"", 1, "[metered] must come first"), ("[metered]\n\na = \"maybe\"", 3, "'maybe' is no value"),
            ("[metered\n", 1, "neither"), ("[wired]", 1, "'[wired]' is neither [metered]"),
            ("[metered]\na \"yes\"", 2, "neither"), ("[metered]\n\"a = yes", 2, "neither"),
            ("[metered]\n= yes", 2, "neither"), ("[metered]\na =", 2, "neither"),
            ("[metered]\na = yes no", 2, "neither"), ("[metered]\n\"\" = yes", 2, "name is empty"),
            ("[metered]\na = yes\n\"a\" = no", 3, "duplicate line for 'a'"),
            ("[metered]\n\"\\q\" = no", 2, "neither"), ("[metered]\n\"\\u12\" = no", 2, "neither"),
            ("[metered] x", 1, "neither"), ("[metered]\n\"a\u{1}\" = no", 2, "neither"),
            ("[metered]\n\"\\", 2, "neither"),
        ])
    func wrong(text: String, line: Int, settings: String) {
        let error = #expect(throws: ConnectionOverridesError.self) { try ConnectionOverrides(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.problem.contains(settings) == true, "\(error?.problem ?? "")")
    }

    private func withFile(_ body: (OverridesFile, String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try body(OverridesFile(path: folder.path + "/overrides.toml"), folder.path)
    }

    @Test("A missing file has no overrides, and is created by the first change, for its owner only")
    func file() throws {
        try withFile { file, folder in
            #expect(try file.read() == ConnectionOverrides())
            try file.change { $0.settings["Home"] = .no }
            #expect(try file.read().settings == ["Home": .no])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["overrides.toml"])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("The error for an invalid file names path and line, and the file is not overwritten")
    func badFile() throws {
        try withFile { file, folder in
            try "[metered]\nHome = x".write(toFile: file.path, atomically: true, encoding: .utf8)
            let error = #expect(throws: OverridesFileError.self) { try file.change { $0.settings = [:] } }
            #expect(error?.description.contains("\(file.path): line 2: 'x' is no value") == true)
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "[metered]\nHome = x")
            try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: file.path))
            #expect(throws: OverridesFileError(path: file.path, problem: "is not UTF-8 text")) { try file.read() }
            #expect(throws: OverridesFileError.self) {
                try OverridesFile(path: folder + "/missing/overrides.toml").change { _ in }
            }
            #expect(throws: OverridesFileError.self) { try OverridesFile(path: folder).read() }
        }
    }

    @Test("A symbolic link is kept")
    func link() throws {
        try withFile { file, folder in
            try "[metered]\n".write(toFile: folder + "/real", atomically: true, encoding: .utf8)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "real")
            try file.change { $0.settings["Home"] = .yes }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "real")
            #expect(try String(contentsOfFile: folder + "/real", encoding: .utf8).contains("\"Home\" = \"yes\""))
        }
    }

    @Test("Concurrent changes are all kept")
    func concurrently() async throws {
        try await withFolder { folder in
            let file = OverridesFile(path: folder + "/overrides.toml")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 { group.addTask { try file.change { $0.settings["\(number)"] = .yes } } }
                try await group.waitForAll()
            }
            #expect(try file.read().settings.count == 40)
        }
    }
}
