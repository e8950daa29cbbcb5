// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import Foundation
import LinuxClock
import LinuxKernel
import ToolSupport
import TransferModel

/// The options of a gate besides the unit.
struct GateOptions: ParsableArguments {
    @OptionGroup(title: "Conditions") var conditions: ConditionOptions

    @Option(help: .init("What happens if the conditions are lost while the unit runs.", valueName: "action"))
    var onLoss = LossAction.wait

    /// Validates the options. A date must come again, because a unit runs more than once.
    ///
    /// - Throws: `UsageError` that names the option, the error, and its remedy.
    func check(for unit: GatedUnit, now: WallTime) throws {
        _ = try RunPlan(unit: unit, self, start: now, sysfsRoot: nil)
        let isConditional = [
            conditions.when, conditions.policy, conditions.patience, conditions.notBefore, conditions.window,
        ].contains { $0 != nil }
        guard isConditional || conditions.discretionary else {
            throw UsageError("name the conditions to wait for, such as --when ac,unmetered or --discretionary")
        }
        let inAYear = now.advanced(by: .seconds(400 * 86_400))
        for (option, text) in [("by", conditions.by), ("not-before", conditions.notBefore)] {
            guard let text else { continue }
            guard (try? TimeExpression(text, option: option, now: inAYear).date) != nil else {
                throw UsageError(
                    "--\(option) '\(text)' is one date, but a unit runs again; use a span from each start, such as "
                        + "24h, or a time that comes again, such as 18:00 or 'Fri 18:00'")
            }
        }
    }

    /// The options as words of a command line.
    var words: [String] {
        var words: [String] = []
        if conditions.discretionary { words.append("--discretionary") }
        if conditions.force { words.append("--force") }
        let options = [
            ("--policy", conditions.policy), ("--when", conditions.when), ("--not-before", conditions.notBefore),
            ("--by", conditions.by), ("--window", conditions.window), ("--metered", conditions.metered?.rawValue),
            ("--patience", conditions.patience),
        ]
        for case (let name, let value?) in options { words += [name, value] }
        return words + ["--on-loss", onLoss.rawValue]
    }
}

/// The `transferctl gate install` command.
struct GateInstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Make a unit wait for the conditions from its next start on.",
        discussion: """
            Installing again replaces the conditions. --by ends the wait, and is a span from each start of the unit (24h) \
            or a time that comes again (18:00, 6pm, tonight). It counts across restarts of the machine.

            --on-loss says what happens when the conditions are lost while the unit runs: wait lets it finish; freeze \
            freezes its processes until the conditions return; stop ends it with 'systemctl stop'; restart ends it and \
            makes it wait again. A frozen program keeps its locks and connections.

            Refused are units for which the start or the shutdown of the machine waits, and those that a gate needs \
            itself. For a program that should run whenever the conditions hold, use a target instead: see \
            'transferctl service install --help'.
            """)

    @OptionGroup var target: GateTarget
    @OptionGroup var options: GateOptions

    @Flag(name: [.customShort("n"), .long], help: "Only print the files that would be written.")
    var dryRun = false

    func run() throws {
        let unit = try target.checked()
        try options.check(for: unit, now: try AdapterFactory.alarm().now().wall)
        let program = OwnExecutable.path
        guard program.hasPrefix("/"), SiblingProgram.isExecutable(program) else {
            throw UsageError("the path of this program is unknown; run it again by its full path")
        }
        try ServiceWriter.checkProgram(program, ofUser: unit.isUser)
        if dryRun {
            let lifts = (try? GateCheck(unit).liftsTimeLimit()) ?? false
            let texts = try GateFiles(unit).texts(program: program, options: options.words, liftsTimeLimit: lifts)
            return Console.print(texts.map { "# \($0.path)\n\($0.text)" }.joined(separator: "\n"))
        }
        let liftsTimeLimit = try GateCheck(unit).liftsTimeLimit()
        let files = try GateFiles(unit)
        try files.write(program: program, options: options.words, liftsTimeLimit: liftsTimeLimit)
        do { try unit.perform("daemon-reload") } catch {
            try? files.removeDropIn()
            try? files.removeGate()
            throw error
        }
        for path in [files.gatePath, files.dropInPath] { Console.printPath(path) }
        let isRunning = ["active", "activating"].contains(try unit.property("ActiveState", of: unit.name))
        Console.error("\(unit.name) waits for the conditions from its next \(isRunning ? "re" : "")start on.")
    }
}
