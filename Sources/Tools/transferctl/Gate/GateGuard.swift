// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import Foundation
import LinuxClock
import ToolSupport
import TransferModel

/// The `transferctl gate guard` command, which systemd runs as the gate of a unit.
struct GateGuard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard", abstract: "Wait for the conditions of a unit, and watch them while it runs.",
        shouldDisplay: false)

    @OptionGroup var target: GateTarget
    @OptionGroup var options: GateOptions
    @OptionGroup var testOptions: TestOptions
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let unit = try target.checked()
        let alarm = try AdapterFactory.alarm()
        let now = alarm.now().wall
        let wait = GateWait(unit, folder: ProcessInfo.processInfo.environment["STATE_DIRECTORY"])
        let plan = try RunPlan(
            unit: unit, options, start: wait.begin(at: now), sysfsRoot: testOptions.sysfsRoot)
        let notifier = ServiceNotifier()
        let messages = RunMessages(name: unit.name, isQuiet: false, isVerbose: false) {
            notifier?.send("STATUS=\($0.printable)")
        }
        let status = try await CommandRun(
            plan: plan, alarm: alarm, messages: messages, bus: daemon.bus,
            interruption: "the gate was stopped before the conditions were right", startsOnSignal: true
        ) {
            UnitTarget(unit, gate: GateFiles.gate(of: unit), onLoss: plan.onLoss) {
                wait.end()
                notifier?.send("READY=1\nSTATUS=open")
            }
        }.run()
        guard status == 0 else {
            // Someone gave up on the start. After a restart of the machine, the wait goes on.
            if (try? unit.systemctl(["show", "-P", "SystemState"])) != "stopping" { wait.end() }
            throw ExitCode(status)
        }
    }
}

/// The date since which a unit waits. A file keeps the date, so that a deadline counts across restarts of the machine.
struct GateWait {
    private let path: String?

    /// Creates the file's path in a folder. Without a folder, the date is not kept.
    init(_ unit: GatedUnit, folder: String?) { path = folder.map { "\($0)/\(unit.name)" } }

    /// Returns the date on which the wait began: the date in the file, or `now` if there is none or it lies in the future.
    func begin(at now: WallTime) -> WallTime {
        guard let path else { return now }
        if let text = try? String(contentsOfFile: path, encoding: .utf8),
            let seconds = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0
        {
            let date = WallTime(secondsSinceEpoch: seconds)
            if date <= now { return date }
        }
        try? "\(now.secondsSinceEpoch)\n".write(toFile: path, atomically: true, encoding: .utf8)
        return now
    }

    /// Forgets the date, because the unit starts.
    func end() { if let path { unlink(path) } }
}
