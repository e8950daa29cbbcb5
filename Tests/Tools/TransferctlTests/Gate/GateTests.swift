// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import Foundation
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

/// Rule D2 of the doors: gates of units, without a systemd.
@Suite("D2: gates")
struct GateTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_392_000)
    private let unit = GatedUnit("backup.service", isUser: false)

    private func install(_ words: String...) throws -> GateInstall {
        try #require(try TransferControl.parseAsRoot(["gate", "install"] + words) as? GateInstall)
    }

    private func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as? UsageError).map { "\($0)" } ?? TransferControl.message(for: error) }
        return ""
    }

    // MARK: Names

    @Test("A name without a suffix is a service; other units, templates, and paths are refused")
    func names() throws {
        #expect(try install("backup", "--system").target.checked() == unit)
        #expect(try install("restic@home.service", "--user").target.checked().isUser)
        for (name, word) in [
            ("foo.timer", "not a service"), ("restic@.service", "template"), ("../x.service", "not the name"),
            ("a b.service", "not the name"), ("é.service", "not the name"), (".service", "not the name"),
            (String(repeating: "a", count: 300), "too long"),
        ] {
            let text = message { _ = try install(name).target.checked() }
            #expect(text.contains(word) && !text.isEmpty, "\(name): \(text)")
        }
        #expect(!message { _ = try install("x", "--user", "--system") }.isEmpty)
    }

    // MARK: Options

    private func check(_ words: String...) throws -> [String] {
        let options = try #require(
            try TransferControl.parseAsRoot(["gate", "install", "backup"] + words) as? GateInstall
        ).options
        try options.check(for: unit, now: now)
        return options.words
    }

    @Test("The options become words of the gate's command line; a span needs no plus sign")
    func options() throws {
        #expect(
            try check("--when", "ac,unmetered", "--by", "24h", "--on-loss", "freeze")
                == ["--when", "ac,unmetered", "--by", "24h", "--on-loss", "freeze"])
        #expect(
            try check("--discretionary", "--not-before", "18:00", "--metered", "allow", "--patience", "prompt")
                == [
                    "--discretionary", "--not-before", "18:00", "--metered", "allow", "--patience", "prompt",
                    "--on-loss", "wait",
                ])
    }

    @Test("One date, no condition, and unknown words are refused with a way out")
    func wrongOptions() {
        #expect(message { _ = try check("--when", "ac", "--by", "2026-12-24 18:00") }.contains("such as 24h"))
        #expect(message { _ = try check("--on-loss", "freeze") }.contains("name the conditions"))
        #expect(message { _ = try check("--when", "moon") }.contains("moon"))
        #expect(message { _ = try check("--when", "ac", "--on-loss", "explode") }.contains("'stop' or 'restart'"))
    }

    // MARK: Files

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "gates-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("Installing writes two files, replacing keeps two, and removing leaves nothing")
    func files() throws {
        try withFolder { folder in
            let files = GateFiles(unit, in: folder)
            #expect(!files.exist && files.options == nil)
            for options in [["--when", "ac"], ["--when", "battery>50", "--window", "Mon-Fri 01:00-06:00"]] {
                try files.write(program: "/usr/bin/transferctl", options: options, liftsTimeLimit: false)
            }
            #expect(files.exist)
            #expect(files.options == "--when 'battery>50' --window 'Mon-Fri 01:00-06:00'")
            #expect(GateFiles.gatedUnits(in: folder, isUser: false) == [unit])
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
            #expect(
                names == [
                    "backup.service.d", "backup.service.d/50-transfer-gate.conf", "transfer-gate-backup.service",
                ])
            try files.removeDropIn()
            try files.removeGate()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("Only a unit with a limit for its job has the limit lifted")
    func dropIn() {
        let files = GateFiles(unit, in: "/x")
        let plain = files.dropInText(liftsTimeLimit: false)
        #expect(plain.contains("Requires=transfer-gate-backup.service\nAfter=transfer-gate-backup.service\n"))
        #expect(!plain.contains("JobTimeoutSec"))
        #expect(files.dropInText(liftsTimeLimit: true).contains("\nJobTimeoutSec=infinity\n"))
    }

    @Test("Words are quoted for systemd: no variable, specifier, or line of theirs takes effect")
    func quoting() {
        #expect(GateFiles.quoted("a b") == "\"a b\"")
        #expect(GateFiles.quoted("100%") == "\"100%%\"")
        #expect(GateFiles.quoted("$HOME \"x\\") == "\"$$HOME \\\"x\\\\\"")
        let text = GateFiles(unit, in: "/x").gateText(program: "/p", options: ["--when", "ac\nExecStart=/evil"])
        let lines = text.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("ExecStart=") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("#") }.count == 2)
    }

    // MARK: Checks

    private func liftsLimit(_ units: [String: [String: String]], of name: String = "backup.service") throws -> Bool {
        try GateCheck(GatedUnit(name, isUser: false)) { units[$0] ?? ["LoadState": "loaded"] }.liftsTimeLimit()
    }

    @Test("A unit that a timer starts may wait, and a limit for its job is found")
    func ordinary() throws {
        let own = [
            "LoadState": "loaded", "DefaultDependencies": "yes", "Before": "shutdown.target other.service",
            "JobTimeoutUSec": "infinity", "WantedBy": "nightly.target",
        ]
        #expect(try !liftsLimit(["backup.service": own]))
        #expect(try liftsLimit(["backup.service": own.merging(["JobTimeoutUSec": "5min"]) { $1 }]))
    }

    @Test("Units that the start or the shutdown of the machine waits for are refused, also through other units")
    func systemUnits() {
        let loaded = ["LoadState": "loaded"]
        for (units, word) in [
            (["backup.service": ["LoadState": "not-found"]], "no unit"),
            (["backup.service": ["LoadState": "masked"]], "masked"),
            (["backup.service": ["LoadState": "bad-setting"]], "bad-setting"),
            (["backup.service": loaded.merging(["DefaultDependencies": "no"]) { $1 }], "DefaultDependencies=no"),
            (["backup.service": loaded.merging(["Before": "shutdown.target network.target"]) { $1 }], "network.target"),
            (["backup.service": loaded.merging(["WantedBy": "multi-user.target"]) { $1 }], "multi-user.target"),
            (
                [
                    "backup.service": loaded.merging(["RequiredBy": "web.service"]) { $1 },
                    "web.service": loaded.merging(["UpheldBy": "graphical.target"]) { $1 },
                ], "graphical.target"
            ),
        ] {
            let text = message { _ = try liftsLimit(units) }
            #expect(text.contains(word), "\(units): \(text)")
        }
        for name in ["dbus.service", "systemd-logind.service", "user@1000.service", "transfer-gate-x.service"] {
            #expect(message { _ = try liftsLimit([:], of: name) }.contains("cannot wait"), "\(name)")
        }
    }

    // MARK: State

    @Test("The state is systemd's, and the reason is the gate's status")
    func status() {
        #expect(GateStatus(activeState: "activating", text: "waiting: on battery").reason == "waiting: on battery")
        #expect(GateStatus(activeState: "active", text: "frozen: on battery").state == "frozen")
        #expect(GateStatus(activeState: "active", text: "open").state == "open")
        #expect(
            GateStatus(activeState: "inactive", text: "frozen: old") == GateStatus(activeState: "inactive", text: ""))
        #expect(GateStatus(activeState: nil, text: "").state == "unknown")
    }

    @Test("A wait counts from its first start across restarts, until the unit starts or the clock is wrong")
    func wait() throws {
        try withFolder { folder in
            let wait = GateWait(unit, folder: folder)
            #expect(wait.begin(at: now) == now)
            let later = now.advanced(by: .seconds(3600))
            #expect(wait.begin(at: later) == now)
            let before = now.advanced(by: .seconds(-60))
            #expect(wait.begin(at: before) == before)
            wait.end()
            #expect(wait.begin(at: later) == later)
            try "word".write(toFile: folder + "/backup.service", atomically: true, encoding: .utf8)
            #expect(wait.begin(at: now) == now)
        }
        #expect(GateWait(unit, folder: nil).begin(at: now) == now)
    }
}

/// Rule D2 of the doors: the units of the service that publishes conditions.
@Suite("D2: condition units")
struct ConditionUnitsTests {
    @Test("Each condition has two path units and two targets that exclude each other")
    func pairs() throws {
        let files = ConditionUnits.administrators.files(program: "/usr/bin/transferd")
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })
        for name in ["ac", "unmetered", "discretionary"] {
            for (name, other) in [(name, "not-" + name), ("not-" + name, name)] {
                let target = try #require(texts["/etc/systemd/system/transfer-\(name).target"])
                #expect(target.contains("Conflicts=transfer-\(other).target\n"))
                #expect(target.contains("BindsTo=transfer-conditions.service\n"))
                let path = try #require(texts["/etc/systemd/system/transfer-\(name).path"])
                #expect(path.contains("PathExists=%t/transfer-conditions/\(name)\nUnit=transfer-\(name).target\n"))
            }
        }
    }

    @Test("Only the machine's service has a user, a policy, and the system bus")
    func users() throws {
        let files = ConditionUnits(userFolder: "/u/units").files(program: "/p/transferd")
        #expect(files.count == 13 && files.allSatisfy { $0.path.hasPrefix("/u/units/transfer-") })
        let service = try #require(files.first { $0.path.hasSuffix(".service") }).text
        #expect(service.contains("ExecStart=/p/transferd --conditions-only\n"))
        #expect(!service.contains("DynamicUser") && service.contains("WantedBy=default.target"))
        let machine = ConditionUnits(packageRoot: "/tree").files(program: "/usr/bin/transferd")
        #expect(machine.contains { $0.path == "/tree/usr/share/dbus-1/system.d/org.transferd.Conditions.conf" })
        let text = try #require(machine.first { $0.path.hasSuffix("transfer-conditions.service") }).text
        #expect(text.contains("ExecStart=/usr/bin/transferd --conditions-only --bus system\n"))
        #expect(text.contains("DynamicUser=yes") && text.contains("CapabilityBoundingSet=\n"))
    }
}
