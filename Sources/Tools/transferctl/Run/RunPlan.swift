// SPDX-License-Identifier: Apache-2.0
import CommandRunner
import Foundation
import LinuxConditions
import LinuxKernel
import ToolSupport
import TransferModel
import TransferPolicy
import TransferScheduling

/// A validated command line of `transferctl run`, or of a gate.
struct RunPlan {
    /// The program and its arguments.
    let command: [String]
    /// The first word of the command, without its folder, or the name of the unit. Other words may contain secrets.
    let name: String
    let onLoss: LossAction
    /// The time between SIGTERM and SIGKILL.
    let killDelay: Duration
    /// The policy, which contains the conditions.
    let policy: CommandPolicy
    /// The dates and the window of the command, which apply besides the policy.
    let traits: TransferTraits
    private(set) var assumptions: Assumptions?
    let sysfsRoot: String

    /// Validates a command line.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    init(_ command: RunCommand, now: WallTime) throws {
        guard !command.command.isEmpty else { throw RunCommand.missingCommand }
        guard !command.command[0].isEmpty else { throw UsageError("the name of the program is empty") }
        let killDelay = Duration.seconds(try TimeSpan(command.own.killDelay, option: "grace").seconds)
        guard killDelay <= .seconds(86_400) else {
            throw UsageError("--grace '\(command.own.killDelay)' must be at most 1 day")
        }
        try self.init(
            command: command.command, name: URL(fileURLWithPath: command.command[0]).lastPathComponent,
            onLoss: command.own.onLoss, killDelay: killDelay, command.conditions, start: now,
            sysfsRoot: command.testOptions.sysfsRoot)
        assumptions = try command.own.assume.map { text in
            try Assumptions(option: text)
        }
    }

    /// Validates the options of a gate.
    ///
    /// - Parameter start: The date of the unit's start, from which spans of time count.
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    init(unit: GatedUnit, _ options: GateOptions, start: WallTime, sysfsRoot: String?) throws {
        try self.init(
            command: [unit.name], name: unit.name, onLoss: options.onLoss, killDelay: .zero, options.conditions,
            start: start, sysfsRoot: sysfsRoot)
    }

    private init(
        command: [String], name: String, onLoss: LossAction, killDelay: Duration, _ options: ConditionOptions,
        start: WallTime, sysfsRoot: String?
    ) throws {
        (self.command, self.name, self.killDelay) = (command, name, killDelay)
        self.onLoss = onLoss
        let conditions = try SpecificationBuilder.constraints(options, now: start)
        let isDiscretionary = options.discretionary || options.policy != nil || options.patience != nil
        policy = CommandPolicy(conditions: conditions, base: isDiscretionary ? try GetPlan.policy(options) : nil)
        let dates = Constraints(
            notBefore: conditions.notBefore, deadline: conditions.deadline, window: conditions.window)
        // Of no size, so that no time is reserved before the deadline: nobody knows how long the command takes.
        traits = TransferTraits(
            kind: .discretionary, constraints: dates, host: "command", isLoopback: true, expectedBytesToReceive: 0,
            submitted: start)
        self.sysfsRoot = sysfsRoot ?? "/sys"
    }

    /// The command as the scheduler's only transfer.
    var specification: TransferSpecification {
        TransferSpecification(url: "command:", destination: Destination(directory: "/", name: nil), traits: traits)
    }

    /// The settings of the scheduler.
    var scheduling: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        // A frozen command has stopped within five seconds of the loss of power.
        configuration.powerHysteresis = .seconds(4)
        return configuration
    }
}

extension Assumptions {
    /// Parses the value of `--assume`, which may name conditions of the user.
    ///
    /// - Throws: `UsageError` that names the wrong word and the permitted ones.
    init(option text: String) throws {
        let defined = (try? OwnConditions.defined()) ?? []
        let values = Dictionary(defined.map { ($0.name, $0.values) }, uniquingKeysWith: { $1 })
        do { try self.init(parsing: text, conditions: values) } catch { throw UsageError("--assume: \(error)") }
    }
}

extension CommandResult {
    /// The exit status that stands for the result.
    var exitStatus: Int32 {
        switch self {
        case .ended(.status(let status)): status
        case .ended(.signal(let number)): 128 + number
        // EX_TEMPFAIL of sysexits.h(3head).
        case .stopped: 75
        // The statuses of env(1) and of shells.
        case .notExecutable(let code): code == ENOENT ? 127 : 126
        }
    }
}
