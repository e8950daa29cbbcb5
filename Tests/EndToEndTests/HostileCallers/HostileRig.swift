// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import RawBus

/// A fixture with a daemon, a victim app, and a home folder with files that no other app may touch.
final class HostileRig: Sendable {
    static let managerPath = "/org/transferd/Manager"
    static let manager = "org.transferd.Manager1"
    static let transfer = "org.transferd.Transfer1"
    static let session = "org.transferd.Session1"
    static let properties = "org.freedesktop.DBus.Properties"
    /// A text in all of the victim's data. No other caller may see it.
    static let mark = "victims-secret"
    static let victimApp = "org.example.Victim"
    static let foreignApp = "org.example.Foreign"
    static let sandboxedApp = "org.example.Sandboxed"

    let bus: PrivateBus
    let folder: TemporaryFolder
    let daemon: ChildProcess
    let victim: HostileProcess
    /// The id of the victim's transfer. The transfer's object is at `victimPath`, the session's at `victimSession`.
    let victimTransfer: Int64
    var victimPath: String { "/org/transferd/transfer/\(victimTransfer)" }
    let victimSession: String

    var home: String { folder.path + "/person" }
    var address: String { bus.address }

    /// Starts the bus, the daemon and the victim.
    ///
    /// - Parameters:
    ///   - settings: Lines for the daemon's `config.toml`.
    ///   - hasPortal: A Boolean value that indicates whether the bus can start a document portal.
    init(settings: String = "", hasPortal: Bool = false) async throws {
        bus = try await PrivateBus(hasSessionLimits: true)
        folder = try TemporaryFolder()
        let place = folder.path
        for name in ["person/.ssh", "config/transferd", "root", "apps", "runtime"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(name)", withIntermediateDirectories: true)
        }
        // Other callers must not see another app's budget either.
        try ("app-budgets = { \(Self.mark) = 1000 }\n" + settings).write(
            toFile: place + "/config/transferd/config.toml", atomically: true, encoding: .utf8)
        try "private key".write(toFile: place + "/person/.ssh/id_test", atomically: true, encoding: .utf8)
        chmod(place + "/person/.ssh/id_test", 0o600)
        try "alias ls=ls\n".write(toFile: place + "/person/.bashrc", atomically: true, encoding: .utf8)
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }.merging([
            "XDG_STATE_HOME": place + "/state", "XDG_CONFIG_HOME": place + "/config",
            "XDG_CACHE_HOME": place + "/cache", "HOME": place + "/person",
            "XDG_RUNTIME_DIR": place + "/runtime",
        ]) { $1 }
        if hasPortal { try DocumentPortal.install(on: bus, runtime: place + "/runtime", data: place + "/portal") }
        let output = place + "/out"
        daemon = try ChildProcess(DaemonRig.daemonPath, [], environment: environment, output: output)
        try waitUntil("the daemon is on the bus", within: 60) {
            (try? String(contentsOfFile: output, encoding: .utf8))?.contains("on the bus") == true
        }
        victim = try await HostileProcess(address: bus.address)
        try await victim.own(Self.victimApp)
        (victimTransfer, victimSession) = try await Self.prepare(victim)
    }

    /// Gives the victim a transfer that is never due, and a session with a suspended task.
    private static func prepare(_ victim: HostileProcess) async throws -> (Int64, String) {
        let submitted = try await victim.manager("Submit", [.array(of: "a{sv}", [transfer(named: mark)])])
        guard let id = submitted.value?.members.first?.number else { throw TestTrouble("Submit: \(submitted)") }
        let opened = try await victim.manager(
            "OpenSession",
            [
                .dictionary([("identifier", .string(mark)), ("shared-container", .string("group.\(mark)"))]),
                .dictionary([("containers", .texts(["group.\(mark)"]))]),
            ])
        guard let path = opened.value?["path"]?.text else { throw TestTrouble("OpenSession: \(opened)") }
        let posted = try await victim.session(path, "Post", [submit(task: 1, mark)])
        guard posted.error == nil else { throw TestTrouble("Post: \(posted)") }
        return (id, path)
    }

    /// Describes a transfer that is never due.
    static func transfer(named name: String, _ more: [(String, WireValue)] = []) -> WireValue {
        .dictionary(
            [
                ("url", .string("http://127.0.0.1:9/\(name)")), ("not-before", .string("2200-01-01T00:00:00Z")),
                ("name", .string(name)),
            ] + more)
    }

    /// Describes the action that adds a suspended task to a session.
    static func submit(task: Int64, _ name: String = "task", _ more: [(String, WireValue)] = []) -> WireValue {
        let request = WireValue.dictionary([("url", .string("http://127.0.0.1:9/\(name)"))])
        let snapshot = WireValue.dictionary(
            [("task", .int64(task)), ("request", request), ("suspended", .boolean(true))] + more)
        return .dictionary([("order", .string("submit")), ("snapshot", snapshot)])
    }

    /// Runs `body`, then ends the victim, the daemon and the bus.
    static func with(
        settings: String = "", hasPortal: Bool = false, _ body: (HostileRig) async throws -> Void
    ) async throws {
        let rig = try await HostileRig(settings: settings, hasPortal: hasPortal)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.victim.end()
        rig.daemon.end()
        await rig.bus.end()
        try result.get()
    }

    // MARK: Callers

    /// Starts another app, which is a copy of the program that owns `name` on the bus.
    func foreignCaller(_ name: String = HostileRig.foreignApp) async throws -> HostileProcess {
        let program = folder.path + "/apps/\(name)"
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
        }
        let caller = try await HostileProcess(address: address, program: program)
        try await caller.own(name)
        return caller
    }

    /// Starts an app in its own mount root with the Flatpak id `id`, or without `/.flatpak-info` if `id` is nil.
    ///
    /// - Parameter documents: The folder in which the document portal shows the app its documents. The app sees the
    ///   folder as `/run/flatpak/doc`.
    func sandboxedCaller(
        _ id: String? = HostileRig.sandboxedApp, documents: String? = nil
    ) async throws -> HostileProcess {
        try await HostileProcess(
            CallerRoot.command(id: id, address: address, folder: folder.path + "/root", documents: documents))
    }

    // MARK: The daemon's health

    /// Measures the time until the daemon answers the victim.
    func answerTime() async throws -> Duration {
        let begun = ContinuousClock.now
        let answer = try await victim.manager("Show", [.int64(victimTransfer)])
        guard answer.error == nil else { throw TestTrouble("the victim is refused: \(answer)") }
        return ContinuousClock.now - begun
    }

    /// Lists the changes to the victim's data; empty if nothing was changed.
    func harm() async throws -> [String] {
        var harm: [String] = []
        let transfer = try await victim.manager("Show", [.int64(victimTransfer)])
        if transfer.value?["state"]?.text != "waiting" || transfer.value?["priority"]?.number != 500 {
            harm.append("the transfer is \(transfer)")
        }
        let tasks = try await victim.session(victimSession, "Tasks")
        if tasks.value?.members.count != 1 || tasks.value?.members.first?["suspended"] != .boolean(true) {
            harm.append("the session has \(tasks)")
        }
        if try await victim.call(
            HostileCall(
                path: Self.managerPath, interface: Self.properties, member: "Get",
                arguments: [.string(Self.manager), .string("Held")])
        ).value?.members.isEmpty != true {
            harm.append("everything is held")
        }
        for (file, text) in [(".bashrc", "alias ls=ls\n"), (".ssh/id_test", "private key")] {
            let found = try? String(contentsOfFile: "\(home)/\(file)", encoding: .utf8)
            if found != text { harm.append("\(file) is changed") }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: home).sorted()
        if files != [".bashrc", ".ssh"] { harm.append("the home folder holds \(files)") }
        return harm
    }

    /// Returns the resident memory of a process in megabytes.
    static func megabytes(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1024
    }

    func busProcess() async throws -> Int32 { try await bus.processID }

    /// Sends SIGTERM to the daemon, and returns the time until its end.
    func terminate() throws -> Duration {
        let begun = ContinuousClock.now
        daemon.signal(SIGTERM)
        try daemon.wait(within: 60)
        return ContinuousClock.now - begun
    }
}
