// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
package import TransferSessions

/// Launching apps as transient services of the user's systemd. The services inherit no limits, environment or open
/// files from the daemon, and keep running after the daemon ends.
extension BusPrograms {
    /// The maximum number of seconds for systemd to start a program.
    private static let startSeconds = 30

    /// Starts a command as a separate service, and then watches the service for `patience`.
    ///
    /// - Parameters:
    ///   - command: The absolute path of a program, and its arguments. systemd expands nothing in them.
    ///   - environment: Variables in addition to those of the user manager.
    ///   - patience: The period after the start during which a failure counts as a crash.
    /// - Returns: The outcome, or `nil` if the user has no running systemd. The caller must then start the program in
    ///   another way.
    package func startUnit(
        _ command: [String], of app: String, environment: [String: String], patience: Duration = .seconds(2)
    ) async -> LaunchOutcome? {
        guard let bus, let program = command.first,
            let unit = UnitName.unit(of: app, number: .random(in: .min ... .max))
        else { return nil }
        // systemd emits job signals only if a client has subscribed.
        _ = await manage("Subscribe", [], "()")
        let (results, resultsContinuation) = AsyncStream.makeStream(of: (job: String, result: String).self)
        let ends = bus.subscribe(
            to: "JobRemoved", of: UserManager.interface, at: UserManager.path, sender: UserManager.service
        ) { values in
            guard values.count == 4, let job = values[1].string, let result = values[3].string else { return }
            resultsContinuation.yield((job, result))
        }
        defer { withExtendedLifetime(ends) {} }
        let job: String
        let properties = UserManager.properties(of: command, app: app, environment: environment)
        let arguments: [VariantValue] = [.string(unit), .string("fail"), .list(properties), .list([])]
        switch await manage("StartTransientUnit", arguments, "(ssa(sv)a(sa(sv)))") {
        case .success(let reply): job = reply.first?.string ?? ""
        case .failure(let error) where error.name == nil:
            return .silent("systemd did not start '\(program)': \(error.message)")
        case .failure(let error) where UserManager.isAway(error): return nil
        case .failure(let error): return .missing("systemd refused to start '\(program)': \(error.message)")
        }
        let limit = Task {
            try? await Task.sleep(for: .seconds(Self.startSeconds))
            resultsContinuation.finish()
        }
        defer { limit.cancel() }
        var result: String?
        for await end in results where end.job == job {
            result = end.result
            break
        }
        let outcome = await outcome(
            of: unit, running: program, for: app, job: result, patience: patience)
        _ = await manage("UnrefUnit", [.string(unit)], "(s)")
        return outcome
    }

    private func outcome(
        of unit: String, running program: String, for app: String, job result: String?, patience: Duration
    ) async -> LaunchOutcome {
        guard let result else {
            return .silent("systemd did not start '\(program)' within \(Self.startSeconds) seconds")
        }
        let service = await properties(of: unit)
        guard result == "done" else {
            let isMissing = service["ExecMainStatus"]?.integer == UserManager.cannotExecute
            return isMissing
                ? .missing("cannot start '\(program)': systemd cannot execute it")
                : .crashed("'\(program)' ended immediately: systemd reports '\(result)'")
        }
        let process = service["MainPID"]?.integer.flatMap(Int32.init(exactly:)) ?? 0
        if process > 0 { launched.add(unit: unit, of: app, process: process) }
        try? await Task.sleep(for: patience)
        let later = await properties(of: unit)
        if let end = later["Result"]?.string, end != "success" {
            let status = later["ExecMainStatus"]?.integer ?? 0
            return .crashed(
                end == "exit-code"
                    ? "'\(program)' ended immediately with status \(status)"
                    : "'\(program)' ended immediately: systemd reports '\(end)' (\(status))")
        }
        return .started(process: process > 0 ? process : nil)
    }

    /// Returns the properties of a service; an empty dictionary if systemd no longer knows the unit.
    private func properties(of unit: String) async -> [String: VariantValue] {
        guard case .success(let reply) = await manage("GetUnit", [.string(unit)], "(s)"),
            let path = reply.first?.string,
            case .success(let all) = await manage(
                "GetAll", [.string(UserManager.service + ".Service")], "(s)", at: path,
                of: "org.freedesktop.DBus.Properties")
        else { return [:] }
        return all.first?.dictionary ?? [:]
    }

    /// Calls a method of the user's systemd, by default a method of its manager object.
    private func manage(
        _ method: String, _ arguments: [VariantValue], _ type: String, at path: String = UserManager.path,
        of interface: String = UserManager.interface
    ) async -> Result<[VariantValue], BusCallError> {
        await call(
            method, of: interface, at: path, service: UserManager.service, arguments, type: type, milliseconds: 10_000,
            startsService: false)
    }
}

/// The user's systemd on the session bus (org.freedesktop.systemd1(5)).
private enum UserManager {
    static let service = "org.freedesktop.systemd1"
    static let interface = "org.freedesktop.systemd1.Manager"
    static let path = "/org/freedesktop/systemd1"
    /// The exit status of a program that systemd could not execute (systemd.exec(5), "Process Exit Codes").
    static let cannotExecute: Int64 = 203

    /// Whether an error means that systemd is no longer on the bus.
    static func isAway(_ error: BusCallError) -> Bool {
        ["ServiceUnknown", "NameHasNoOwner"].contains { error.name == "org.freedesktop.DBus.Error." + $0 }
    }

    /// Returns the properties of a service that runs a command, as an `a(sv)`. Arguments stay separate values and are
    /// never joined into a single command line.
    static func properties(of command: [String], app: String, environment: [String: String]) -> [VariantValue] {
        let words = VariantValue.list(command.map(VariantValue.string))
        // Without this flag, systemd expands environment variables after dollar signs in the arguments.
        let start = VariantValue.list([.string(command[0]), words, .list([.string("no-env-expand")])])
        let variables = environment.sorted { $0.key < $1.key }.map { VariantValue.string("\($0.key)=\($0.value)") }
        let properties: [(String, String, VariantValue)] = [
            ("Description", "s", .string("\(app), started for its background transfers")),
            ("Type", "s", .string("exec")),
            ("ExecStartEx", "a(sasas)", .list([start])),
            ("Environment", "as", .list(variables)),
            ("Slice", "s", .string("app.slice")),
            // Processes that outlive the app's first process belong to the app and keep running.
            ("KillMode", "s", .string("process")),
            ("CollectMode", "s", .string("inactive-or-failed")),
            // The reference keeps the service's result available until `UnrefUnit`.
            ("AddRef", "b", .bool(true)),
        ]
        return properties.map { .list([.string($0), .typed($1, $2)]) }
    }
}
