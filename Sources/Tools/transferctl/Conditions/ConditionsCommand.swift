// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxConditions
import ToolSupport
import TransferModel

/// The `transferctl conditions` command, which shows the machine's conditions and the source of each fact.
struct ConditionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Show each fact with its value, source, since when it holds and how sure it is.",
        discussion: """
            Sureness: reported (a service or the kernel said so), guessed (concluded, or two sources disagree), assumed \
            (nothing else to go by). With --json one JSON object, with --watch as well one a line for each change.

            --record FILE writes all that is read of the machine, and what was made of it, until interrupted: a report \
            for those who can put a wrong fact right, and a test for afterwards. A recording holds the names of \
            connections (Wi-Fi networks among them), of devices and their hardware addresses, the leases of DHCP with \
            the network's addresses, and your words on connections; --anonymous puts other names in the place of those. \
            Serial numbers, subscribers and places are never in it. Each line is written at once, so that what was \
            recorded counts even when the command is killed. --replay FILE reads a recording again.

            Exit status: 0 done, 1 the recording could not be written to its end or does not come out as it did when it \
            was made, 2 wrong usage.
            """)

    @Flag(help: "Go on and show every change, until interrupted.")
    var watch = false

    @Flag(help: "Write JSON.")
    var json = false

    @Option(
        help: .init("Write a recording to FILE, which must not be there yet, until interrupted.", valueName: "file"),
        completion: .file())
    var record: String?

    @Flag(help: "With --record: replace names and addresses.")
    var anonymous = false

    @Flag(help: "With --record: replace FILE.")
    var force = false

    @Option(
        name: .customLong("for"),
        help: .init("End --watch or --record after DURATION (s, m, h, d).", valueName: "duration"))
    var limit: String?

    @Option(
        help: .init("Show what a recording comes to; with --watch each change.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot: String?

    func run() async throws {
        let duration = try checkedLimit()
        if let replay { return try show(recording: replay) }
        var printer = ConditionsPrinter(json: json)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let file = try record.map { try RecordingFile(path: $0, replaces: force) { stop.finish() } }
        let source = try Parts.conditions(sysfsRoot: sysfsRoot ?? "/sys", alarm: try Parts.alarm(), delaysSleep: false)
        {
            guard let file else { return }
            $0.recorder = { file.write($0) }
            $0.recordsAnonymously = anonymous
        }
        let interruption = Interruption { stop.finish() }
        Console.whenReaderIsGone { stop.finish() }
        if watch { Console.watchReader() }
        if let file { Console.error("transferctl: recording to \(file.path); Ctrl-C ends it") }
        let ends = Task {
            for await _ in stops {}
            await source.stop()
        }
        let timer = Task {
            guard let duration, (try? await Task.sleep(for: duration, clock: .continuous)) != nil else { return }
            stop.finish()
        }
        for await conditions in source.snapshots() {
            if watch || file == nil { printer.print(conditions) }
            if file == nil, !watch || Console.hasLostReader { break }
        }
        timer.cancel()
        stop.finish()
        await ends.value
        if let file { return try report(file) }
        // Ctrl-C is the intended end of watching. Before the first snapshot, it is an interruption.
        if printer.isFirst, interruption.signal != nil, !Console.hasLostReader { throw ExitStatus.interrupted.code }
    }

    /// Returns the time limit of the command, or `nil` to run until interrupted.
    ///
    /// - Throws: `UsageError` if the options contradict one another.
    private func checkedLimit() throws -> Duration? {
        if record == nil {
            if anonymous { throw UsageError("--anonymous is about a recording; give --record as well") }
            if force { throw UsageError("--force is about a recording; give --record as well") }
        } else if replay != nil {
            throw UsageError("--record and --replay do not go together; leave one out")
        } else if json, !watch {
            throw UsageError("--record shows nothing that could be JSON; leave --json out, or give --watch as well")
        }
        guard let limit else { return nil }
        guard watch || record != nil, replay == nil else {
            throw UsageError("--for ends --watch or --record; give one of them as well")
        }
        guard let duration = DurationExpression(limit)?.duration else {
            throw UsageError("--for '\(limit)' is no span of time; write 90s, 15m, 2h or 1d")
        }
        return duration
    }

    private func report(_ file: RecordingFile) throws {
        if let failure = file.failure {
            Console.error(
                "transferctl: the recording \(file.path) ended early: \(failure); its \(file.lines) lines are whole")
            throw ExitStatus.failed.code
        }
        Console.error("transferctl: recorded \(file.lines) lines in \(file.path)")
    }

    private func show(recording path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError("--replay '\(path)' cannot be read: \(String(cString: strerror(errno)))")
        }
        let replay: ConditionsReplay
        do {
            replay = try ConditionsReplay(bytes, file: path)
        } catch {
            Console.error("transferctl: \(error)")
            throw ExitStatus.failed.code
        }
        var printer = ConditionsPrinter(json: json)
        for conditions in watch ? replay.published[...] : replay.published.suffix(1) { printer.print(conditions) }
        if replay.isCutShort { Console.error("transferctl: \(path): the last line was cut off") }
    }
}

/// A printer that shows one snapshot after another.
private struct ConditionsPrinter {
    let json: Bool
    private(set) var isFirst = true

    init(json: Bool) { self.json = json }

    mutating func print(_ conditions: Conditions) {
        if json {
            JSONLine.print(ConditionsText.object(conditions))
        } else {
            if !isFirst { Console.print("") }
            Console.print(ConditionsText.table(conditions))
        }
        isFirst = false
    }
}
