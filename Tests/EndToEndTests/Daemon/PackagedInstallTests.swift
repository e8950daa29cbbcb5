// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of `service install` and `service uninstall` beside a daemon of a package.
///
/// The tests replace systemctl and dbus-send, so that no real manager is changed.
@Suite("service install with and without a package")
struct PackagedInstallTests {
    private let program: Transferctl
    private let home: String
    private let service: String
    /// The path by which a program knows itself.
    private let daemon = URL(fileURLWithPath: DaemonFixture.daemonPath).resolvingSymlinksInPath().path

    init() throws {
        var program = try Transferctl()
        home = program.folder.path
        service = home + "/system/dbus-1/services/org.transferd.service"
        for folder in ["/system/dbus-1/services", "/bin"] {
            try FileManager.default.createDirectory(atPath: home + folder, withIntermediateDirectories: true)
        }
        for name in ["systemctl", "dbus-send"] {
            let path = home + "/bin/" + name
            try "#!/bin/sh\necho \(name) \"$@\" >>\(home)/calls\n".write(
                toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        program.environment["PATH"] = home + "/bin"
        program.environment["XDG_DATA_HOME"] = home + "/data"
        program.environment["XDG_DATA_DIRS"] = home + "/system"
        self.program = program
    }

    private var calls: String { (try? String(contentsOfFile: home + "/calls", encoding: .utf8)) ?? "" }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: home + path) }

    private func installPackage() throws {
        try "[D-BUS Service]\nName=org.transferd\nExec=\(daemon)\nSystemdService=transferd.service\n"
            .write(toFile: service, atomically: true, encoding: .utf8)
    }

    @Test("Without a package, the files are written, and uninstall removes them")
    func withoutPackage() async throws {
        let (status, run) = try await program.run(["service", "install"])
        #expect(status == 0 && run.output.isEmpty)
        #expect(run.errors.contains("systemd starts \(daemon) at each login"))
        #expect(run.errors.split(separator: "\n").count == 3, "\(run.errors)")
        let files = [
            "/data/dbus-1/services/org.transferd.service", "/config/systemd/user/transferd.service",
            "/data/man/man1/transferctl.1", "/data/man/man8/transferd.8",
            "/data/bash-completion/completions/transferctl", "/data/fish/vendor_completions.d/transferctl.fish",
        ]
        for path in files { #expect(exists(path), "\(path)") }
        #expect(calls.contains("systemctl --user enable transferd.service\n"))
        #expect(try await program.run(["service", "uninstall"]).status == 0)
        #expect(calls.contains("systemctl --user disable transferd.service\n"))
        for path in files { #expect(!exists(path), "\(path)") }
    }

    @Test("Without a user's systemd, install says what will not work")
    func withoutSystemd() async throws {
        try FileManager.default.removeItem(atPath: home + "/bin/systemctl")
        let (status, run) = try await program.run(["service", "install"])
        #expect(status == 0 && run.output.isEmpty)
        #expect(run.errors.contains("nothing starts \(daemon) at login"), "\(run.errors)")
    }

    @Test("With a package, install enables its unit, and removes the files of an earlier install")
    func withPackage() async throws {
        #expect(try await program.run(["service", "install"]).status == 0)
        try installPackage()
        let (status, run) = try await program.run(["service", "install"])
        #expect(status == 0)
        #expect(run.errors.contains("systemd starts \(daemon) at each login"))
        #expect(run.errors.contains("Removed these files of an earlier 'service install'"))
        #expect(calls.contains("systemctl --user enable transferd.service\n"))
        #expect(!exists("/data/dbus-1/services/org.transferd.service"))
        #expect(!exists("/config/systemd/user/transferd.service"))
        let again = try await program.run(["service", "install"])
        #expect(again.status == 0)
        #expect(again.run.output == "")
    }

    @Test("With a package, uninstall disables its unit, and says that the bus still starts the daemon")
    func uninstall() async throws {
        try installPackage()
        let (status, run) = try await program.run(["service", "uninstall"])
        #expect(status == 0)
        #expect(run.errors.contains("The package's \(service) still starts the daemon on first use"))
        #expect(calls.contains("systemctl --user disable transferd.service\n"))
        #expect(FileManager.default.fileExists(atPath: service))
    }

    @Test(
        "The status names the service file of the package",
        .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
    func status() async throws {
        let bus = try await PrivateBus()
        var program = program
        program.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        #expect(try await program.run(["service", "status"]).run.output.hasPrefix("not installed"))
        try installPackage()
        #expect(try await program.run(["service", "status"]).run.output.hasPrefix("installed: \(service)\n"))
        await bus.end()
    }

    @Test("The files of a package name the programs in /usr/bin, and each program writes its own")
    func packageFiles() async throws {
        let (status, run) = try await program.run(["service", "package-files", "tree"])
        #expect(status == 0, "\(run.errors)")
        let tree = program.downloads + "/tree/usr/"
        let unit = try String(contentsOfFile: tree + "lib/systemd/user/transferd.service", encoding: .utf8)
        #expect(unit.contains("\nExecStart=/usr/bin/transferd\n"))
        let completion = try String(contentsOfFile: tree + "share/zsh/vendor-completions/_transferd", encoding: .utf8)
        #expect(completion.hasPrefix("#compdef transferd"))
        let page = try String(contentsOfFile: tree + "share/man/man1/transferlab.1", encoding: .utf8)
        #expect(page.contains(".TH TRANSFERLAB 1"))
        #expect(run.output.split(separator: "\n").count == 45)
    }
}
