// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus

/// A fixture with a daemon, a victim app, and a home folder with files that no other app may touch.
final class HostileFixture: Sendable {
    static let managerPath = "/org/transferd/Manager"
    static let manager = "org.transferd.Manager1"
    static let session = "org.transferd.Session1"
    static let conditionsPath = "/org/transferd/Conditions"
    static let conditions = "org.transferd.Conditions1"
    static let properties = "org.freedesktop.DBus.Properties"
    /// A text in all of the victim's data. No other caller may see it.
    static let mark = "victims-secret"
    /// The container of the victim's session, whose name is no secret.
    static let container = "group.victim"
    static let victimApp = "org.example.Victim"
    static let foreignApp = "org.example.Foreign"
    static let sandboxedApp = "org.example.Sandboxed"

    let bus: PrivateBus
    let folder: TemporaryFolder
    let daemon: ChildProcess
    let victim: HostileProcess
    /// The id of the victim's transfer. The session's object is at `victimSession`.
    let victimTransfer: Int64
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
        let root = folder.path
        for name in ["person/.ssh", "config/transferd", "root", "apps", "runtime"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
        // Other callers must not see another app's budget either.
        try ("app-budgets = { \(Self.mark) = 1000 }\n" + settings).write(
            toFile: root + "/config/transferd/config.toml", atomically: true, encoding: .utf8)
        try "private key".write(toFile: root + "/person/.ssh/id_test", atomically: true, encoding: .utf8)
        chmod(root + "/person/.ssh/id_test", 0o600)
        try "alias ls=ls\n".write(toFile: root + "/person/.bashrc", atomically: true, encoding: .utf8)
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }.merging([
            "XDG_STATE_HOME": root + "/state", "XDG_CONFIG_HOME": root + "/config",
            "XDG_CACHE_HOME": root + "/cache", "HOME": root + "/person",
            "XDG_RUNTIME_DIR": root + "/runtime",
        ]) { $1 }
        if hasPortal { try DocumentPortal.install(on: bus, runtime: root + "/runtime", data: root + "/portal") }
        let output = root + "/out"
        daemon = try ChildProcess(DaemonFixture.daemonPath, [], environment: environment, output: output)
        try await waitForText("on the bus", in: output)
        victim = try await HostileProcess(address: bus.address)
        try await victim.own(Self.victimApp)
        (victimTransfer, victimSession) = try await Self.prepare(victim)
    }

    /// Gives the victim a transfer that is never due, and a session with a suspended task.
    private static func prepare(_ victim: HostileProcess) async throws -> (Int64, String) {
        let submitted = try await victim.manager("Submit", [.array(of: "a{sv}", [transfer(named: mark)])])
        guard let id = submitted.value?.members.first?.number else { throw FixtureError("Submit: \(submitted)") }
        let opened = try await victim.manager(
            "OpenSession",
            [
                .dictionary([("identifier", .string(mark)), ("shared-container", .string(container))]),
                .dictionary([("containers", .texts([container]))]),
            ])
        guard let path = opened.value?["path"]?.text else { throw FixtureError("OpenSession: \(opened)") }
        let posted = try await victim.session(path, "Post", [submit(task: 1, mark)])
        guard posted.error == nil else { throw FixtureError("Post: \(posted)") }
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
        settings: String = "", hasPortal: Bool = false, _ body: (HostileFixture) async throws -> Void
    ) async throws {
        let fixture = try await HostileFixture(settings: settings, hasPortal: hasPortal)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.victim.end()
        fixture.daemon.end()
        await fixture.bus.end()
        try result.get()
    }

    // MARK: Callers

    /// Starts another app, which is a copy of the program that owns `name` on the bus.
    func foreignCaller(_ name: String = HostileFixture.foreignApp) async throws -> HostileProcess {
        let program = folder.path + "/apps/\(name)"
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
        }
        let caller = try await HostileProcess(address: address, program: program)
        try await caller.own(name)
        return caller
    }

    /// Starts an app in its own mount root with the Flatpak id `id`, or without `/.flatpak-info` if `id` is `nil`.
    ///
    /// - Parameter documents: The folder in which the document portal shows the app its documents. The app sees the
    ///   folder as `/run/flatpak/doc`.
    func sandboxedCaller(
        _ id: String? = HostileFixture.sandboxedApp, documents: String? = nil, shared: String = "network"
    ) async throws -> HostileProcess {
        try await HostileProcess(
            SandboxRoot.command(
                id: id, address: address, folder: folder.path + "/root", documents: documents, shared: shared))
    }

    // MARK: The daemon's health

    /// Measures the time until the daemon replies to the victim.
    func responseTime() async throws -> Duration {
        let call = HostileCall(
            path: Self.managerPath, interface: Self.manager, member: "Show", arguments: [.int64(victimTransfer)])
        let (reply, time) = try await timed(call, by: victim)
        guard reply.error == nil else { throw FixtureError("the victim's call was rejected: \(reply)") }
        return time
    }

    /// Performs a call, and measures the time until its reply. Other tests keep the machine busy, so the time for
    /// which the daemon, the bus, or the caller lacked a processor does not count.
    func timed(_ call: HostileCall, by caller: HostileProcess) async throws -> (reply: HostileReply, time: Duration) {
        let bus = try await busProcess()
        let (before, sent) = (ProcessorTime(of: daemon.id, bus, caller.id), LineBuffer.now())
        try caller.process.send("call \(call.words)")
        let line = try await caller.process.output.next(within: .seconds(70))
        let after = ProcessorTime(of: daemon.id, bus, caller.id)
        return (try HostileReply(line.text), after.ownPart(of: .nanoseconds(line.time - sent), since: before))
    }

    /// Lists the changes to the victim's data, or empty if nothing was changed.
    func damage() async throws -> [String] {
        var damage: [String] = []
        let transfer = try await victim.manager("Show", [.int64(victimTransfer)])
        if transfer.value?["state"]?.text != "waiting" || transfer.value?["priority"]?.number != 500 {
            damage.append("the transfer is \(transfer)")
        }
        let tasks = try await victim.session(victimSession, "Tasks")
        if tasks.value?.members.count != 1 || tasks.value?.members.first?["suspended"] != .boolean(true) {
            damage.append("the session has \(tasks)")
        }
        if try await victim.call(
            HostileCall(
                path: Self.managerPath, interface: Self.properties, member: "Get",
                arguments: [.string(Self.manager), .string("Held")])
        ).value?.members.isEmpty != true {
            damage.append("a hold is active")
        }
        for (file, text) in [(".bashrc", "alias ls=ls\n"), (".ssh/id_test", "private key")] {
            let found = try? String(contentsOfFile: "\(home)/\(file)", encoding: .utf8)
            if found != text { damage.append("\(file) has changed") }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: home).sorted()
        if files != [".bashrc", ".ssh"] { damage.append("the home folder contains \(files)") }
        return damage
    }

    /// Returns the resident memory of a process in megabytes.
    static func megabytes(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1024
    }

    func busProcess() async throws -> Int32 { try await bus.processID }

    /// Sends SIGTERM to the daemon, and returns the time until its end.
    func terminate() async throws -> Duration {
        let begun = ContinuousClock.now
        daemon.signal(SIGTERM)
        try await daemon.wait(within: 60)
        return ContinuousClock.now - begun
    }
}
