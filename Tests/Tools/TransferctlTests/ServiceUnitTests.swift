// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

@testable import transferctl

@Suite("C12: The unit file of 'service install'")
struct ServiceUnitTests {
    private let text = ServiceFiles.unitText(program: "/usr/bin/transferd")

    /// The unit's settings by key.
    private var settings: [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("Limits and watches the daemon, with settings that are safe for a service that starts apps")
    func limits() {
        #expect(settings["UMask"] == "0077")
        #expect(settings["Slice"] == "background.slice")
        #expect(settings["OOMPolicy"] == "continue")
        for key in ["MemoryMax", "TasksMax", "WatchdogSec", "TimeoutStopSec"] { #expect(settings[key] != nil) }
    }

    @Test("Contains no setting that creates a mount namespace or restricts apps")
    func nothingInherited() {
        // systemd.exec(5): the keys of the first and the last line make a mount namespace. In a user manager, the keys
        // of the second line imply NoNewPrivileges=.
        let forbidden = [
            "Private", "Protect", "ReadOnly", "ReadWrite", "Inaccessible", "Bind", "Root", "TemporaryFileSystem",
            "NoNewPrivileges", "SystemCall", "Restrict", "MemoryDenyWriteExecute", "LockPersonality", "Capability",
            "DynamicUser", "NoExecPaths", "ExecPaths", "MountAPIVFS",
        ]
        for key in settings.keys { #expect(!forbidden.contains { key.hasPrefix($0) }, "\(key)") }
    }

    private static let analyze: String? = {
        let path = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: path) else { return "systemd-analyze is not installed" }
        guard let help = try? FixtureProcess.runBlocking([path, "--help"]), help.contains("--offline") else {
            return "systemd-analyze is older than its option --offline"
        }
        return nil
    }()

    @Test(
        "systemd accepts the file without warnings, and rates the exposure of the daemon",
        .enabled(if: analyze == nil, "\(analyze ?? "")"))
    func security() async throws {
        let folder = NSTemporaryDirectory() + "unit-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/transferd.service"
        // The program exists, so the analysis does not complain about a missing program.
        try ServiceFiles.unitText(program: "/bin/true").write(toFile: path, atomically: true, encoding: .utf8)
        let text = try await FixtureProcess.run([
            "env", "SYSTEMD_LOG_LEVEL=warning", "systemd-analyze", "security", "--offline=true", "--no-pager", path,
        ])
        let score = try #require(text.split(separator: "\n").last { $0.contains("Overall exposure level") })
        print("systemd-analyze security: \(score)")
        for complaint in ["Unknown key", "Failed to parse", "ignoring"] { #expect(!text.contains(complaint)) }
    }
}
