// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxConditions
import ToolSupport

/// `transferctl conditions`: what the machine is like, and how that is known.
struct ConditionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Show each fact with its value, source, since when it holds and how sure it is.",
        discussion: """
            Sureness: reported (a service or the kernel said so), guessed (concluded, or two sources disagree), assumed \
            (nothing else to go by). With --json one JSON object, with --watch as well one a line for each change.
            """)

    @Flag(help: "Go on and show every change, until interrupted.")
    var watch = false

    @Flag(help: "Write JSON.")
    var json = false

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot: String?

    func run() async throws {
        let source = try Parts.conditions(
            sysfsRoot: sysfsRoot ?? "/sys", alarm: try Parts.alarm(), delaysSleep: false)
        let stop: @Sendable () -> Void = { Task { await source.stop() } }
        let interruption = Interruption(handler: stop)
        Console.whenReaderIsGone(stop)
        if watch { Console.watchReader() }
        var isFirst = true
        for await conditions in source.snapshots() {
            if json {
                JSONLine.print(ConditionsText.object(conditions))
            } else {
                if !isFirst { Console.print("") }
                Console.print(ConditionsText.table(conditions))
            }
            isFirst = false
            if !watch || Console.hasLostReader { break }
        }
        if interruption.signal == nil { await source.stop() }
        // Watching ends by Ctrl-C, which is how it is meant to end; before the first snapshot it is an interruption.
        if isFirst, !Console.hasLostReader { throw ExitStatus.interrupted.code }
    }
}
