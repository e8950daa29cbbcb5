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
    var output: OutputOptions { get }
    var onComplete: String? { get }
    var stateDir: String? { get }

    /// Returns the validated command line. Relative times count from `now`.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    func plan(now: WallTime) throws -> GetPlan
}

extension TransferCommand {
    /// Performs the plan.
    func run() async throws {
        let alarm = try AdapterFactory.alarm()
        let status = try await GetRun(plan: plan(now: alarm.now().wall), alarm: alarm).run()
        guard status == .done else { throw status.code }
    }
}

/// Options that only tests and replays need.
struct TestOptions: ParsableArguments {
    @Option(help: .init("The seed of the retry jitter, to replay a run.", visibility: .hidden))
    var seed: UInt64?

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot: String?

    @Flag(
        help: .init("Apply the network's conditions to servers on this machine too, for tests.", visibility: .hidden)
    )
    var noLoopbackExemption = false

    @Flag(
        help: .init("Transfer data in this process instead of a worker process, for tests.", visibility: .hidden))
    var inProcess = false
}
