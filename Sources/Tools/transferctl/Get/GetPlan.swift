// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferFiles
import TransferModel
import TransferPolicy
import TransferScheduling

/// A validated command line. All errors in the command line are found before any transfer starts.
struct GetPlan {
    /// A file to download or upload.
    struct Item {
        var specification: TransferSpecification
        /// A hash of the URL, destination and header fields. It identifies the same transfer in a later run.
        var key: String
    }

    /// The styles of output.
    enum Style {
        case terminal
        case lines
        case json
        case quiet
    }

    var items: [Item]
    var policy: any Policy
    var assumptions: Assumptions?
    var stateDirectory: String
    var sysfsRoot: String
    var style: Style
    var isVerbose: Bool
    var seed: UInt64
    var onComplete: String?
    var userAgent: String?
    var proxy: String?
    var caFile: String?
    var runsInProcess: Bool
    var limits: RateLimits
    /// The maximum number of transfers that run at the same time, also for a single server.
    var parallel: Int

    /// The number of unfinished transfers whose wait reasons are shown. Enough to fill a screen in addition to the
    /// transfers that may run.
    var explainedLimit: Int { style == .quiet ? 0 : parallel + 30 }

    /// Returns the renderer for the output style.
    func renderer(localTime: LocalTimeRules) -> any TransferRenderer {
        switch style {
        case .terminal: LiveLines(localTime: localTime, total: items.count, explainedLimit: explainedLimit)
        case .lines: LineRenderer(localTime: localTime, isVerbose: isVerbose)
        case .json: JSONRenderer()
        case .quiet: FailureRenderer()
        }
    }

    /// The settings of the scheduler. All transfers of a command belong to one app.
    var scheduling: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = parallel
        configuration.slotsPerHost = parallel
        configuration.slotsPerApp = parallel
        return configuration
    }

    /// The largest value of `--parallel`. More connections are of no use and harm servers.
    static let maximumParallel = 256

    /// The path for the server's response to an upload. `nil` means standard output.
    var responsePath: String?

    /// Validates a command line that downloads.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    init(command: GetCommand, now: WallTime) throws {
        try self.init(sharedBy: command)
        let builder = try SpecificationBuilder(command: command, destination: command.destination, now: now)
        items = try Self.targets(command.urls, input: command.input, command.destination).map {
            try builder.item(for: $0)
        }
        try Self.rejectDuplicates(items)
    }

    /// Validates the options that all transfer commands share. `items` stays empty.
    init(sharedBy command: some TransferCommand) throws {
        let timing = command.timing
        let request = command.request
        policy = try Self.policy(timing)
        assumptions = try timing.assume.map { text in
            do { return try Assumptions(parsing: text) } catch { throw UsageError("--assume: \(error)") }
        }
        stateDirectory = try StateFolder.path(option: command.stateDir)
        sysfsRoot = command.testOptions.sysfsRoot ?? "/sys"
        style = Self.style(command.output)
        isVerbose = command.output.verbose
        seed = command.testOptions.seed ?? UInt64.random(in: .min ... .max)
        onComplete = command.onComplete
        runsInProcess = command.testOptions.inProcess
        userAgent = request.userAgent
        proxy = try request.proxy.map(Self.checkedProxy)
        caFile = try request.caFile.map(Self.readableFile)
        limits = RateLimits(
            global: try request.limitRate.map { try Self.rate($0, option: "limit-rate") },
            yieldsToForeground: request.yield)
        parallel = command.timing.parallel
        guard (1...GetPlan.maximumParallel).contains(parallel) else {
            throw UsageError("--parallel \(parallel) must be from 1 to \(GetPlan.maximumParallel)")
        }
        items = []
    }

    /// Returns the URLs of the command line and of `--input`.
    static func targets(
        _ urls: [String], input: String?, _ destination: DestinationOptions
    ) throws -> [InputList.Item] {
        var targets = urls.map { InputList.Item(url: $0) }
        if let input {
            guard input == "-" || FileManager.default.isReadableFile(atPath: input) else {
                throw UsageError(
                    "cannot read --input '\(input)'; use a file with one URL per line, or - for standard input")
            }
            let data =
                input == "-"
                ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: input) ?? Data()
            guard let text = String(data: data, encoding: .utf8) else {
                throw UsageError("--input '\(input)' is not UTF-8 text")
            }
            targets += try InputList(text, name: input == "-" ? "standard input" : input).items
        }
        guard !targets.isEmpty else {
            throw UsageError("nothing to download; give a URL or --input FILE (see 'transferctl help')")
        }
        guard targets.count == 1 || destination.output == nil else {
            throw UsageError("--output requires a single URL, not \(targets.count); use --directory")
        }
        guard targets.count == 1 || destination.checksum == nil else {
            throw UsageError(
                "--checksum requires a single URL, not \(targets.count); use --input with checksum=")
        }
        if let output = destination.output {
            guard output != "-" else {
                throw UsageError("--output - is not supported; use a file")
            }
            targets[0].output = output
        }
        return targets
    }

    /// Parses a rate in bytes per second.
    static func rate(_ text: String, option: String) throws -> Int64 {
        let rate = try ByteCount(text, option: option).bytes
        guard rate > 0 else { throw UsageError("--\(option) '\(text)' must be more than 0 bytes per second") }
        return rate
    }

    static func rejectDuplicates(_ items: [Item]) throws {
        var seen: Set<String> = []
        for item in items where !seen.insert(item.key).inserted {
            let url = TransferSpecification.redacted(url: item.specification.url)
            throw UsageError("duplicate URL with the same destination: \(url); remove one")
        }
    }

    private static func policy(_ timing: TimingOptions) throws -> any Policy {
        do {
            return try PolicyCatalog.policy(named: timing.policy ?? "default")
        } catch {
            throw UsageError("--policy: \(error). 'transferctl policies' lists all policies and their parameters.")
        }
    }

    private static func style(_ output: OutputOptions) -> Style {
        if output.json { return .json }
        if output.quiet { return .quiet }
        return Console.isTerminal(STDERR_FILENO) && Console.isTerminal(STDOUT_FILENO) ? .terminal : .lines
    }

    private static func checkedProxy(_ text: String) throws -> String {
        guard let url = URLComponents(string: text.contains("://") ? text : "http://" + text),
            let scheme = url.scheme, ["http", "https", "socks4", "socks5", "socks5h"].contains(scheme.lowercased()),
            let host = url.host, !host.isEmpty
        else {
            throw UsageError(
                "not a valid proxy: --proxy '\(TransferSpecification.redacted(url: text))'; use "
                    + "http://HOST:PORT or socks5://HOST:PORT")
        }
        return url.string ?? text
    }

    private static func readableFile(_ path: String) throws -> String {
        guard access(path, R_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw UsageError("cannot read --ca-file '\(path)' (\(reason)); use a PEM file with certificates")
        }
        return try PathName.absolute(path)
    }
}
