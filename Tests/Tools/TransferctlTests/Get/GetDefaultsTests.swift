// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing
import ToolSupport

@testable import transferctl

@Suite("The file with default options of get")
struct GetDefaultsTests {
    private func words(_ text: String, _ arguments: String...) throws -> [String] {
        try GetDefaults.words(text, path: "get.toml", for: ["get"] + arguments)
    }

    private func command(_ text: String, _ arguments: String...) throws -> GetCommand {
        let words = try GetDefaults.words(text, path: "get.toml", for: ["get"] + arguments)
        return try #require(try TransferControl.parseAsRoot(["get"] + words + arguments) as? GetCommand)
    }

    @Test("Sets options, and the command line wins")
    func precedence() throws {
        let text = "connections = 4\ntimeout = \"5s\"\nyield = true\nnetrc = false\nheader = [\"A: b\", \"C: d\"]\n"
        let command = try command(text, "--connections", "8", "--header", "E: f", "http://h/")
        #expect(command.request.connections == 8)
        #expect(command.request.timeout == "5s")
        #expect(command.local.yield && !command.request.netrc)
        #expect(command.request.header == ["A: b", "C: d", "E: f"])
    }

    @Test("An option that excludes another on the command line is left out")
    func exclusive() throws {
        #expect(try words("overwrite = true", "--no-clobber").isEmpty)
        #expect(try words("netrc = true", "--user=me:pw").isEmpty)
        #expect(try words("netrc = true", "-ume:pw").isEmpty)
        #expect(try words("quiet = true", "--json").isEmpty)
        #expect(try words("directory = \"/d\"", "-o", "x").isEmpty)
        #expect(try words("overwrite = true", "--", "--no-clobber") == ["--overwrite"])
    }

    @Test("Every key is an option of get")
    func keys() throws {
        for (key, kind) in GetDefaults.kinds where kind != .single {
            let value =
                switch kind {
                case .flag: "true"
                case .value, .values, .path, .single: ["metered": "\"allow\""][key] ?? "\"7\""
                }
            _ = try command("\(key) = \(value)", "http://h/")
        }
    }

    @Test(
        "An unknown or wrong key names the file, the line, and the remedy",
        arguments: [
            ("\ntimeot = \"5s\"", "get.toml:2: unknown key 'timeot'; did you mean 'timeout'?"),
            ("yield = 1", "get.toml:1: yield: must be true or false"),
            ("header = [1]", "get.toml:1: header: must be an array"),
            ("user = \"me:pw\"", "get.toml:1: 'user' applies"), ("insecure = true", "use the option --insecure"),
            ("yield = ", "get.toml:1:"),
        ])
    func faults(text: String, message: String) {
        let error = #expect(throws: UsageError.self) { try words(text) }
        #expect(error?.description.contains(message) == true, "\(error as Any)")
        #expect(error?.description.contains("me:pw") == false)
    }
}
