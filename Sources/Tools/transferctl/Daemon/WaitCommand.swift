// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import LinuxConditions
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy
import TransferScheduling

/// The `transferctl wait` command, which returns when transfers have ended or conditions are met.
struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until transfers have ended or conditions are met.",
        discussion: """
            Without IDs and options, waits for all unfinished transfers, also paused ones.

            With --when, the command needs no daemon and suits scripts and the ExecCondition= of systemd, for example \
            'transferctl wait --when ac,unmetered --timeout 0'. Kinds of network are combined with "or", and everything \
            else with "and". An unknown condition counts as not met.

            Exit status: 0 all transfers succeeded or the conditions are met, 1 at least one transfer failed, 4 timed out.
            """)

    @OptionGroup var choice: TransferChoice

    @Option(
        help: .init(
            "Wait for conditions: ac, battery>N, unmetered, ethernet, wifi, cellular, bluetooth, usb-tether, NAME=VALUE.",
            valueName: "conditions"))
    var when: String?

    @Option(help: .init("Give up after this time: 90s, 30m, 2h. 0 checks once.", valueName: "duration"))
    var timeout: String?

    @OptionGroup var daemon: DaemonOptions

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .private))
    var sysfsRoot: String?

    func run() async throws {
        let limit = try timeout.map {
            $0 == "0" ? 0 : try TimeSpan($0, option: "timeout", alternative: ", or 0").seconds
        }
        guard let when else {
            return try await DaemonConnection.with(bus: daemon.bus) { client in
                var choice = choice
                choice.all = choice.all || choice.isEmpty
                let ids = Set(try await choice.chosen(by: client))
                let isComplete = try await Self.completes(limit) {
                    try await TransferFollower.waitForAll(of: ids, by: client)
                }
                guard isComplete else {
                    let open = ids.intersection(try await client.list(TransferFilter()).map(\.id)).count
                    guard ids.count > 1 else { throw timedOut("the transfer has not ended") }
                    throw timedOut("\(open) of \(ids.count) transfers \(open == 1 ? "has" : "have") not ended")
                }
            }
        }
        guard choice.isEmpty else {
            throw UsageError("cannot wait for transfers and conditions together; leave out --when or the transfers")
        }
        try await wait(for: try WhenExpression(when), limit)
    }

    private func timedOut(_ what: String) -> any Error {
        let unit = timeout?.last?.isNumber == true ? " s" : ""
        Console.error("transferctl: " + (timeout == "0" ? "" : "timed out after \(timeout ?? "")\(unit); ") + what)
        return ExitStatus.timedOut.code
    }

    /// Returns whether `body` finishes within the limit in seconds.
    private static func completes(_ limit: Int64?, _ body: @escaping @Sendable () async throws -> Void) async throws
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

    private func wait(for expression: WhenExpression, _ limit: Int64?) async throws {
        let prices = expression.price == nil ? nil : try PriceSettings.defined()
        if expression.price != nil, prices == nil { throw PriceSettings.missing(for: "--when price<N") }
        let required = try OwnConditions.required(by: expression.custom)
        let alarm = try AdapterFactory.alarm()
        let source = AdapterFactory.conditions(
            sysfsRoot: sysfsRoot ?? "/sys", alarm: alarm, delaysSleep: false
        ) {
            $0.prices = prices
            $0.customConditions = required
        }
        let interruption = Interruption { Task { await source.stop() } }
        defer { withExtendedLifetime(interruption) {} }
        let timer = Task {
            guard let limit, limit > 0 else { return }
            guard (try? await Task.sleep(for: .seconds(limit), clock: .continuous)) != nil else { return }
            await source.stop()
        }
        defer { timer.cancel() }
        var missing: [WaitReason] = []
        var last: Conditions?
        // Conditions, or nil when time alone may have changed the price.
        let (events, continuation) = AsyncStream.makeStream(of: Conditions?.self)
        let forwarding = Task {
            for await conditions in source.snapshots() { continuation.yield(conditions) }
            continuation.finish()
        }
        var review: Task<Void, Never>?
        for await event in events {
            last = event ?? last
            guard let conditions = last else { continue }
            let result = expression.missing(under: conditions, at: alarm.now())
            missing = result.reasons
            if missing.isEmpty || limit == 0 { break }
            review?.cancel()
            review = result.reevaluateAfter.map { time in
                Task {
                    guard (try? await Task.sleep(for: time, clock: .continuous)) != nil else { return }
                    continuation.yield(nil)
                }
            }
        }
        review?.cancel()
        forwarding.cancel()
        timer.cancel()
        await source.stop()
        guard last == nil || !missing.isEmpty else { return }
        guard Interruption.signal == nil else { throw ExitStatus.interrupted.code }
        let reasons = missing.map { $0.sentence(localTime: last?.localTime ?? .utc) }.joined(separator: "; ")
        throw timedOut(reasons.isEmpty ? "the machine's conditions are unknown" : "conditions not met: \(reasons)")
    }
}

extension WhenExpression {
    /// Returns the reasons why the machine does not match the expression, and the time after which they may change by
    /// themselves; `nil` if only the machine changes them. A network is required only if the expression mentions one.
    func missing(
        under conditions: Conditions, at now: ClockReading
    ) -> (reasons: [WaitReason], reevaluateAfter: Duration?) {
        var verdict = power.verdict(under: conditions)
        if linkKinds != .any || metered != .unstated {
            verdict = verdict.and(linkKinds.verdict(under: conditions))
                .and(metered.verdict(under: conditions))
        }
        verdict = verdict.and(custom.verdict(under: conditions))
        if let price { verdict = verdict.and(price.verdict(at: now, under: conditions)) }
        guard case .wait(let reasons, let reevaluateAt) = verdict else { return ([], nil) }
        return (reasons, reevaluateAt.map { now.instant.duration(to: $0) })
    }
}
