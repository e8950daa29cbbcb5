// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxConditions
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The `transferctl conditions` command, which shows the machine's conditions and the source of each condition.
struct ConditionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Show the machine's conditions, each with its value, source, start time, and confidence.",
        discussion: """
            SINCE is empty if neither this command nor a running daemon has seen the value begin. \
            CONFIDENCE is reported (by a service or the kernel), guessed (inferred, or two sources disagree), or assumed \
            (no source is available). --json writes one JSON object; with --watch, one object per line and change.

            --record FILE writes everything that is read from the machine, and the resulting conditions, until \
            interrupted. Attach the recording to a report about a wrong value; developers turn it into a test. A recording \
            contains the names of connections (including Wi-Fi networks) and devices, hardware addresses, DHCP leases with \
            network addresses, your overrides, and your own conditions; --anonymous replaces these names and addresses. A recording never \
            contains serial numbers, subscriber identities, or locations. Each line is written immediately, so that the \
            recording is usable even if the command is killed. --replay FILE evaluates a recording again.

            Your own conditions, from [condition.NAME] of config.toml, follow the machine's. A hold of 'transferctl hold' is \
            the last line, with its reason and its end.

            Exit status: 0 success, 1 the recording could not be completed or its replay differs from the original, 2 \
            wrong usage.
            """, subcommands: [ConditionsSetCommand.self])

    @Flag(help: "Show every change until interrupted.")
    var watch = false

    @Flag(help: "Write JSON.")
    var json = false

    @Option(
        help: .init("Write a recording to a new file until interrupted.", valueName: "file"),
        completion: .file())
    var record: String?

    @Flag(help: "With --record: anonymize names and addresses.")
    var anonymous = false

    @Flag(help: "With --record: replace an existing file.")
    var force = false

    @Option(
        name: .customLong("for"),
        help: .init("Stop --watch or --record after this time: 90s, 15m, 2h, 1d.", valueName: "duration"))
    var limit: String?

    @Option(
        help: .init("Show the conditions of a recording; with --watch, every change.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .private))
    var sysfsRoot: String?

    func run() async throws {
        let duration = try checkedLimit()
        if let replay { return try show(recording: replay) }
        var printer = ConditionsPrinter(json: json)
        let daemon = await DaemonConnection.ifRunning(bus: nil) { try await $0.status() }
        printer.daemon = daemon?.conditions
        let (stopRequests, stop) = AsyncStream.makeStream(of: Void.self)
        let file = try record.map { try RecordingFile(path: $0, replaces: force) { stop.finish() } }
        let alarm = try AdapterFactory.alarm()
        let machine = AdapterFactory.conditions(
            sysfsRoot: sysfsRoot ?? "/sys", alarm: alarm, delaysSleep: false
        ) {
            // An error in the file of the daemon concerns the daemon.
            $0.prices = try? PriceSettings.defined()
            $0.customConditions = (try? OwnConditions.defined()) ?? []
            guard let file else { return }
            $0.recorder = { file.write($0) }
            $0.recordsAnonymously = anonymous
        }
        let folder = try? daemon?.stateDirectory.flatMap { $0.isEmpty ? nil : $0 } ?? StateFolder.path(option: nil)
        let source: any ConditionSource =
            folder.map { HeldConditions(machine, HoldFile(in: $0), alarm: alarm) } ?? machine
        let interruption = Interruption { stop.finish() }
        defer { withExtendedLifetime(interruption) {} }
        Console.onReaderLoss { stop.finish() }
        if watch { Console.watchReader() }
        if let file { Console.error("transferctl: recording to \(file.path); press Ctrl-C to stop") }
        let stopTask = Task {
            for await _ in stopRequests {}
            await source.stop()
        }
        let timer = Task {
            guard let duration, (try? await Task.sleep(for: duration, clock: .continuous)) != nil else { return }
            stop.finish()
        }
        for await conditions in source.snapshots() {
            if watch || file == nil { printer.print(conditions, at: WallTime(Date.now)) }
            if file == nil, !watch || Console.hasLostReader { break }
        }
        timer.cancel()
        stop.finish()
        await stopTask.value
        if let file { return try report(file) }
        // Ctrl-C is the intended end of watching. Before the first snapshot, it is an interruption.
        if printer.isFirst, Interruption.signal != nil, !Console.hasLostReader { throw ExitStatus.interrupted.code }
    }

    /// Returns the time limit of the command, or `nil` to run until interrupted.
    ///
    /// - Throws: `UsageError` if the options contradict one another.
    private func checkedLimit() throws -> Duration? {
        if record == nil {
            if anonymous { throw UsageError("--anonymous requires --record") }
            if force { throw UsageError("--force requires --record") }
        } else if replay != nil {
            throw UsageError("--record and --replay are mutually exclusive; use one of them")
        } else if json, !watch {
            throw UsageError("--record with --json requires --watch, because nothing else is printed")
        }
        guard let limit else { return nil }
        if replay != nil { throw UsageError("--for does not apply to --replay, which ends by itself; leave out --for") }
        guard watch || record != nil else {
            throw UsageError("--for requires --watch or --record")
        }
        return .seconds(try TimeSpan(limit, option: "for").seconds)
    }

    private func report(_ file: RecordingFile) throws {
        if let failure = file.failure {
            Console.error(
                "transferctl: the recording \(file.path) ended early: \(failure); its \(file.lines) lines are complete")
            throw ExitStatus.failed.code
        }
        Console.error("transferctl: recorded \(file.lines) lines in \(file.path)")
    }

    private func show(recording path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError("cannot read --replay '\(path)': \(String(cString: strerror(errno)))")
        }
        let replay: ConditionsReplay
        do {
            replay = try ConditionsReplay(bytes, file: path)
        } catch {
            Console.error("transferctl: \(error)")
            throw ExitStatus.failed.code
        }
        var printer = ConditionsPrinter(json: json)
        let snapshots = zip(replay.published, replay.times).suffix(watch ? replay.published.count : 1)
        for (conditions, time) in snapshots { printer.print(conditions, at: time.wall) }
        if replay.isCutShort { Console.error("transferctl: \(path): the last line was cut off") }
    }
}

/// A printer that shows one snapshot after another.
private struct ConditionsPrinter {
    let json: Bool
    /// The conditions of the running daemon.
    var daemon: ConditionsReport?
    private(set) var isFirst = true

    init(json: Bool) { self.json = json }

    mutating func print(_ conditions: Conditions, at now: WallTime) {
        if json {
            JSONLine.print(ConditionsText.object(conditions, at: now, daemon: daemon))
        } else {
            if !isFirst { Console.print("") }
            let width = Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : .max
            Console.print(ConditionsText.table(conditions, at: now, daemon: daemon, width: width))
        }
        isFirst = false
    }
}
