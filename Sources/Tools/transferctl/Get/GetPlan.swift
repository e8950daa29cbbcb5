// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import LinuxConditions
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
    /// The set that the transfers belong to, or `nil` if each transfer stands for itself.
    var set: FileSet?
    /// A Boolean value that indicates whether standard output stays empty.
    var hidesPaths = false
    var isVerbose: Bool
    var seed: UInt64
    var onComplete: String?
    var userAgent: String?
    var proxy: String?
    var caFile: String?
    var allowsLocalRedirects: Bool
    var runsInProcess: Bool
    var limits: RateLimits
    /// The maximum number of transfers that run at the same time, also for a single server.
    var parallel: Int

    /// The number of unfinished transfers whose wait reasons are shown. Enough to fill a screen in addition to the
    /// transfers that may run.
    var explainedLimit: Int { style == .quiet ? 0 : parallel + 30 }

    /// The settings of the scheduler. All transfers of a command belong to one app.
    var scheduling: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = parallel
        configuration.slotsPerHost = parallel
        configuration.slotsPerApp = parallel
        configuration.rateLimit = limits.global
        return configuration
    }

    /// The largest value of `--parallel`. More connections are of no use and harm servers.
    static let maximumParallel = 256

    /// A Boolean value that indicates whether no certificate is verified.
    var acceptsAnyCertificate: Bool
    /// The file whose contents go to standard output at the end (`--output -`), or `nil` if the file is kept.
    var outputFile: String?
    /// Whether the file is written to standard output while it arrives, and not only at the end.
    var streamsOutput = false
    /// The path for the server's response to an upload. `nil` means standard output.
    var responsePath: String?

    /// Validates a command line that downloads.
    ///
    /// - Parameter listed: The targets of a list, in place of those of the command line.
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    init(command: GetCommand, now: WallTime, listed: [InputList.Item]? = nil) throws {
        try self.init(sharedBy: command)
        let builder = try SpecificationBuilder(
            command: command, destination: command.destination, proxy: command.local.proxy, now: now)
        var targets = try listed ?? Self.targets(command.urls, input: command.input, command.destination)
        if command.destination.output == "-" {
            outputFile = try Self.prepareOutput(&targets[0], stateDirectory: stateDirectory, command)
            if style == .lines, Console.isTerminal(STDERR_FILENO) { style = .terminal }
        }
        items = try Self.withoutDuplicates(try targets.map { try builder.item(for: $0) })
        if outputFile != nil {
            items[0].hideOutput()
            streamsOutput = items[0].arrivesInOrder && Console.isPipe(STDOUT_FILENO)
        }
        if acceptsAnyCertificate { allowAnyCertificate() }
    }

    /// Validates the options that all transfer commands share. `items` stays empty.
    init(sharedBy command: some TransferCommand) throws {
        let timing = command.timing
        let local = command.local
        policy = try Self.policy(timing.conditions)
        assumptions = try local.assume.map { text in
            try Assumptions(option: text)
        }
        stateDirectory = try StateFolder.path(option: local.stateDir)
        acceptsAnyCertificate = local.insecure
        sysfsRoot = command.testOptions.sysfsRoot ?? "/sys"
        style = Self.style(command.output)
        hidesPaths = command.output.noPaths
        isVerbose = command.output.verbose
        seed = command.testOptions.seed ?? UInt64.random(in: .min ... .max)
        onComplete = local.onComplete
        runsInProcess = command.testOptions.inProcess
        userAgent = command.request.userAgent
        proxy = try local.proxy.map(Self.checkedProxy)
        allowsLocalRedirects = local.allowLocalRedirects
        caFile = try local.caFile.map(Self.readableFile)
        limits = RateLimits(
            global: try local.limitRate.map { try Self.rate($0, option: "limit-rate") },
            yieldsToForeground: local.yield)
        parallel = local.parallel
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
            // A pipe reports no size, so every input is read until its end.
            let data =
                input == "-"
                ? try TextFile.standardInput() : try FileHandle(forReadingAtPath: input)?.readToEnd() ?? Data()
            let escaped = PercentCoding.escapedBeyondASCII(data)
            let text = String(data: data, encoding: .utf8) ?? escaped
            // URLs with other bytes are escaped; a name of a file or the value of a field would change.
            let options = ["out=", "dir=", "header=", "user-agent="]
            guard text != escaped || !options.contains(where: text.contains) || data.allSatisfy({ $0 < 128 }) else {
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
        guard targets.count == 1 || destination.mirror.isEmpty else {
            throw UsageError(
                "--mirror requires a single URL, not \(targets.count); use --input with several URLs on a line")
        }
        targets[0].mirrors += destination.mirror
        if let output = destination.output {
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

    /// Returns the items without those that ask for the same file at the same destination again.
    ///
    /// - Throws: `UsageError` if two of them disagree, for example about the checksum.
    static func withoutDuplicates(_ items: [Item]) throws -> [Item] {
        var seen: [String: TransferSpecification] = [:]
        return try items.filter { item in
            guard let earlier = seen.updateValue(item.specification, forKey: item.key) else { return true }
            guard earlier == item.specification else {
                let url = RedactedURL.text(of: item.specification.url)
                throw UsageError("two lines for the same file at the same destination disagree: \(url); remove one")
            }
            return false
        }
    }

    static func policy(_ timing: ConditionOptions) throws -> any Policy {
        do {
            return try PolicyCatalog.policy(named: timing.policy ?? "default")
        } catch {
            let name = timing.policy?.split(separator: ":").first.map(String.init) ?? ""
            let isKnown = PolicyCatalog.entries.contains { $0.name == name }
            let suggestion = isKnown ? "" : Suggestion.text(for: name, in: PolicyCatalog.entries.map(\.name))
            throw UsageError(
                "--policy: \(error)\(suggestion). 'transferctl config policies' lists all, with their parameters.")
        }
    }

    private static func style(_ output: OutputOptions) -> Style {
        if output.json { return .json }
        if output.quiet { return .quiet }
        return Console.isTerminal(STDERR_FILENO) && Console.isTerminal(STDOUT_FILENO) ? .terminal : .lines
    }

    private static func checkedProxy(_ text: String) throws -> String {
        let url = URLReference(text.contains("://") ? text : "http://" + text)
        guard let scheme = url.scheme, ["http", "https", "socks4", "socks5", "socks5h"].contains(scheme),
            url.hasValidHost
        else {
            throw UsageError(
                "not a valid proxy: --proxy '\(RedactedURL.text(of: text))'; use "
                    + "http://HOST:PORT or socks5://HOST:PORT")
        }
        return url.text
    }

    private static func readableFile(_ path: String) throws -> String {
        guard access(path, R_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw UsageError("cannot read --ca-file '\(path)' (\(reason)); use a PEM file with certificates")
        }
        return try PathName.absolute(path)
    }
}

extension GetPlan {
    /// Returns the user's source of prices if a condition or the policy depends on prices. `nil` otherwise, because the
    /// source may be a command.
    ///
    /// - Throws: `UsageError` if a condition requires prices and there is no source, or if the daemon's configuration
    ///   is invalid.
    func prices() throws -> PriceSource? {
        let isRequired = items.contains { $0.specification.traits.constraints.price != nil }
        guard isRequired || policy is PricePolicy else { return nil }
        let source = try PriceSettings.defined()
        if isRequired, source == nil, assumptions?.price == nil {
            throw PriceSettings.missing(for: "--when price<N")
        }
        return source
    }
}
