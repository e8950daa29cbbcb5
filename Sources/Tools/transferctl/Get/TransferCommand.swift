// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// What commands that transfer have in common.
protocol TransferCommand: AsyncParsableCommand {
    var timing: TimingOptions { get }
    var request: RequestOptions { get }
    var output: OutputOptions { get }
    var onComplete: String? { get }
    var stateDir: String? { get }
    var seed: UInt64? { get }
    var sysfsRoot: String? { get }
    var noLoopbackExemption: Bool { get }
    var inProcess: Bool { get }
}
