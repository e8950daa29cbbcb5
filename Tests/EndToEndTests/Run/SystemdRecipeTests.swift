// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Rule D2 of the doors: runs the recipes for systemd in the article, as printed, under a real systemd.
@Suite(
    "D2: recipes under systemd", .timeLimit(.minutes(5)),
    .enabled(if: SystemdFixture.unavailabilityReason == nil, "\(SystemdFixture.unavailabilityReason ?? "")"),
    .enabled(if: SystemdFixture.missingProgram("restic") == nil, "\(SystemdFixture.missingProgram("restic") ?? "")"))
struct SystemdRecipeTests {
    /// The part of the article on systemd.
    private static let text: Substring = {
        let path =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
            + "/Sources/Tools/transferctl/transferctl.docc/ProgramsYouHave.md"
        let all = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard let begin = all.range(of: "\n## Let units of systemd wait\n"),
            let end = all.range(of: "\n## See and control commands\n")
        else { return "" }
        return all[begin.upperBound..<end.lowerBound]
    }()

    /// The blocks of a language, with the last path between backquotes before each.
    private func blocks(_ language: String) -> [(path: String, text: String)] {
        var (found, path, block): ([(String, String)], String, [Substring]?) = ([], "", nil)
        for line in Self.text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                if line == "```" {
                    found.append((path, lines.joined(separator: "\n") + "\n"))
                    block = nil
                } else {
                    block = lines + [line]
                }
            } else if line == "```" + language {
                block = []
            } else if let named = line.matches(of: /`([~\/][^` ]*\.(service|conf))`/).last {
                path = String(named.output.1)
            }
        }
        return found
    }

    @Test("Every command runs: gates of restic, of Debian's updates, and of a user's units, and targets")
    func recipes() async throws {
        let systemd = try await SystemdFixture(sharing: [builtFolder])
        let result: Result<Void, any Error>
        do { result = .success(try await run(in: systemd)) } catch { result = .failure(error) }
        await systemd.end()
        try result.get()
    }

    /// The home folder of root inside.
    private let home = NSHomeDirectoryForUser("root") ?? "/"

    private func run(in systemd: SystemdFixture) async throws {
        // The service that publishes conditions does not see the files in /tmp.
        let folder = "/opt/transfer"
        try await systemd.run("mkdir", folder)
        try await systemd.run("cp", Transferctl.path, DaemonFixture.daemonPath, folder)
        try await systemd.run("systemctl", "start", "user@0.service")
        for (path, text) in blocks("ini") {
            try await systemd.write(text, to: path.replacing("~", with: home, maxReplacements: 1))
        }
        // Units of packages that the machine need not have.
        let stub = "[Service]\nType=oneshot\nExecStart=/bin/true\n"
        try await systemd.write(stub, to: "\(home)/.config/systemd/user/podman-auto-update.service")
        try await systemd.write(
            "[Service]\nExecStart=/bin/sleep 1000\n", to: "/etc/systemd/system/syncthing@.service")
        try await systemd.run("systemctl", "daemon-reload")
        try await systemd.run(
            "sh", "-ec",
            "echo secret >/etc/restic-password; restic --quiet --repo /srv/backup --password-file /etc/restic-password init"
        )

        let commands = blocks("console").flatMap { $0.text.split(separator: "\n") }
            .filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2).replacing("sudo ", with: "") }
        try #require(commands.count >= 10)
        for command in commands {
            let variables = "export PATH=\(folder):$PATH XDG_RUNTIME_DIR=/run/user/0 USER=root; "
            do {
                let output = try await systemd.run("bash", "-ec", variables + command)
                try await check(String(command), output, systemd)
            } catch { throw FixtureError("\(command): \(error)") }
        }
    }

    /// Checks what commands have done, where that is more than their exit status.
    private func check(_ command: String, _ output: String, _ systemd: SystemdFixture) async throws {
        func poll(_ what: String, _ words: String..., until text: String) async throws {
            for _ in 0..<100 {
                let found = try? await systemd.run("sh", "-c", words.joined(separator: " "))
                if found?.contains(text) == true { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            throw FixtureError("timed out: \(what)")
        }
        if command.hasPrefix("systemctl start") {
            try await poll(
                "restic waits", "systemctl show -P StatusText transfer-gate-restic.service", until: "waiting"
            )
        } else if command.hasPrefix("transferctl gate list") {
            #expect(output.contains("restic.service  system   waiting"))
        } else if command.hasPrefix("transferctl gate now") {
            try await poll(
                "restic has backed up", "restic --repo /srv/backup --password-file /etc/restic-password snapshots",
                until: "1 snapshots"
            )
        } else if command.contains("list-units") {
            #expect(output.contains("transfer-not-unmetered.target"))
        } else if command.hasPrefix("busctl") {
            #expect(output.hasPrefix("s \""))
        }
    }
}
