// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import ToolSupport
import TransferModel

/// The options that describe how transfers are performed, in this process or by the daemon.
protocol TransferOptions {
    var timing: TimingOptions { get }
    var request: RequestOptions { get }
    var testOptions: TestOptions { get }
}

/// A command that performs transfers in this process.
protocol TransferCommand: AsyncParsableCommand, TransferOptions {
    var local: LocalOptions { get }
    var output: OutputOptions { get }

    /// Returns the validated command line. Relative times count from `now`.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    func plan(now: WallTime) throws -> GetPlan
}

extension TransferCommand {
    func run() async throws { try await performPlan() }

    /// Performs the transfers of the command line.
    func performPlan() async throws { try await performPlan { try plan(now: $0) } }

    /// Performs the transfers of a plan. `makePlan` receives the current time.
    @discardableResult
    func performPlan(_ makePlan: (WallTime) throws -> GetPlan) async throws -> TransferFollower? {
        let alarm = try AdapterFactory.alarm()
        let plan = try makePlan(alarm.now().wall)
        let warnings = try checkDeadlines(of: plan.items, now: alarm.now(), limitRate: local.limitRate)
        if plan.style != .json, plan.style != .quiet { for warning in warnings { Console.error(warning) } }
        guard !local.dryRun else {
            try await DryRun(GetRun(plan: plan, alarm: alarm)).run()
            return nil
        }
        return try await GetRun(plan: plan, alarm: alarm).run()
    }
}

/// Options that only tests and replays need.
struct TestOptions: ParsableArguments {
    @Option(help: .init("The seed of the retry jitter, to replay a run.", visibility: .private))
    var seed: UInt64?

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .private))
    var sysfsRoot: String?

    @Flag(
        help: .init("Apply the network's conditions to servers on this machine too, for tests.", visibility: .private)
    )
    var noLoopbackExemption = false

    @Flag(
        help: .init("Transfer data in this process instead of a worker process, for tests.", visibility: .private))
    var inProcess = false
}

/// The end of a run in which at least one transfer did not succeed. The user knows the reasons already.
struct UnsuccessfulRun: Error {
    let status: ExitStatus
    /// The first transfer that failed, or `nil` if none did.
    let failure: TransferStatus?
}
