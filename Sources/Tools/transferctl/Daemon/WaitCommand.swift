// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxConditions
import ToolSupport
import TransferBusProtocol
import TransferModel
import TransferPolicy
import TransferScheduling

/// The `transferctl wait` command, which returns when transfers have ended or conditions hold.
struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Return when transfers of the daemon are over, or when the machine is as wished.",
        discussion: """
            With --when it needs no daemon: a gate for scripts and for systemd's ExecCondition=, as in \
            'transferctl wait --when ac,unmetered --timeout 0'. Kinds of network listed together are joined by "or", all \
            else by "and". What is not known does not hold.

            Status 0 when all went well or the conditions hold, 1 when at least one failed, 4 when --timeout was over first.
            """)

    @OptionGroup var choice: TransferChoice

    @Option(
        help: .init(
            "Wait for conditions: ac, battery>N, unmetered, ethernet, wifi, cellular, bluetooth, usb-tether.",
            valueName: "list"))
    var when: String?

    @Option(help: .init("Give up after this time: 90s, 30m, 2h; 0 looks once.", valueName: "time"))
    var timeout: String?

    @OptionGroup var daemon: DaemonOptions

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot: String?

    func run() async throws {
        let limit = try timeout.map { $0 == "0" ? 0 : try TimeSpan($0, option: "timeout").seconds }
        guard let when else {
            return try await DaemonConnection.with(bus: daemon.bus) { client in
                let ids = Set(try await choice.chosen(by: client))
                let isOver = try await Self.within(limit) { try await TransferFollower.awaitEnds(of: ids, by: client) }
                guard isOver else { throw timedOut("not all are over") }
            }
        }
        guard choice.isEmpty else {
            throw UsageError("wait for transfers or for conditions, not for both: leave --when or the transfers out")
        }
        try await wait(for: try WhenExpression(when), limit)
    }

    private func timedOut(_ what: String) -> any Error {
        Console.error("transferctl: \(what)" + (timeout == "0" ? "" : " after \(timeout ?? "")"))
        return ExitStatus.timedOut.code
    }

    /// Returns whether `body` finished within the limit in seconds.
    private static func within(_ limit: Int64?, _ body: @escaping @Sendable () async throws -> Void) async throws
        -> Bool
    {
        guard let limit else {
            try await body()
            return true
        }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await body()
                return true
            }
            group.addTask {
                try await Task.sleep(for: .seconds(limit), clock: .continuous)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
    }

    // MARK: Conditions

    private func wait(for wish: WhenExpression, _ limit: Int64?) async throws {
        let source = try Parts.conditions(
            sysfsRoot: sysfsRoot ?? "/sys", alarm: try Parts.alarm(), delaysSleep: false)
        let interruption = Interruption { Task { await source.stop() } }
        let timer = Task {
            guard let limit, limit > 0 else { return }
            guard (try? await Task.sleep(for: .seconds(limit), clock: .continuous)) != nil else { return }
            await source.stop()
        }
        defer { timer.cancel() }
        var missing: [Hold] = []
        var last: Conditions?
        for await conditions in source.snapshots() {
            last = conditions
            missing = wish.missing(under: conditions)
            if missing.isEmpty || limit == 0 { break }
        }
        timer.cancel()
        await source.stop()
        guard last == nil || !missing.isEmpty else { return }
        guard interruption.signal == nil else { throw ExitStatus.interrupted.code }
        let reasons = missing.map { $0.sentence(localTime: last?.localTime ?? .utc) }.joined(separator: "; ")
        throw timedOut(reasons.isEmpty ? "nobody could say what the machine is like" : "still not: \(reasons)")
    }
}

extension WhenExpression {
    /// Returns the reasons why the machine does not match the expression. A network is required only if the
    /// expression mentions one.
    func missing(under conditions: Conditions) -> [Hold] {
        var verdict = power.verdict(under: conditions)
        if linkKinds != .any || metered != .unstated {
            verdict = verdict.and(linkKinds.verdict(under: conditions))
                .and(metered.verdict(under: conditions, treatingUnknownAs: UnknownMeteredRule()))
        }
        guard case .hold(let holds, _) = verdict else { return [] }
        return holds
    }
}
