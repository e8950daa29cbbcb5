// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferModel

/// Reads the user's source of prices at the times that ``PriceSource`` states.
///
/// Used on one executor's thread only.
final class PriceReader {
    /// The time between two runs of a command, in milliseconds.
    private static let interval: UInt32 = 3_600_000

    private let source: PriceSource
    private let executor: GLibExecutor
    private let deliver: (SourceContent) -> Void
    private var watch: FileWatch?
    private var command: SourceCommand?
    private var review: GLibSource?
    private var hourly: GLibSource?

    /// Creates a reader that does not read anything yet.
    ///
    /// - Parameter deliver: Receives each content.
    init(_ source: PriceSource, on executor: GLibExecutor, deliver: @escaping (SourceContent) -> Void) {
        self.source = source
        self.executor = executor
        self.deliver = deliver
    }

    /// Starts reading.
    func start() {
        if case .file(let path) = source {
            watch = FileWatch(path: path, on: executor) { [weak self] in self?.read() }
        }
        read()
    }

    /// Reads the source now. A command that is running already is not started again.
    func read() {
        review = nil
        switch source {
        case .file(let path): deliver(Self.content(ofFile: path))
        case .command(let words):
            hourly = executor.after(milliseconds: Self.interval) { [weak self] in self?.read() }
            guard command?.hasEnded ?? true else { return }
            command = SourceCommand(words, name: source.name, on: executor) { [weak self] in self?.receive($0) }
        }
    }

    /// Reads the source again after some time.
    func read(after time: Duration) {
        // Later than a month, the next change of the file or the next run comes first.
        review = executor.after(milliseconds: min(time.timerMilliseconds, 2_678_400_000)) { [weak self] in
            self?.read()
        }
    }

    /// Stops reading. A running command is ended.
    func stop() {
        command?.end()
        (watch, command, review, hourly) = (nil, nil, nil, nil)
    }

    private func receive(_ content: SourceContent) {
        var content = content
        content.problem = content.problem.map { "is missing: the command \($0)" }
        deliver(content)
    }

    private static func content(ofFile path: String) -> SourceContent {
        guard SmallFile.exists(path), let bytes = SmallFile.end(of: path, length: SourceContent.sizeLimit + 1) else {
            return SourceContent(name: path, problem: "cannot be read (\(String(cString: strerror(errno))))")
        }
        return SourceContent(name: path, bytes: bytes)
    }
}

extension SourceContent {
    /// Creates a content from bytes, which must be UTF-8 text of limited size.
    init(name: String, bytes: [UInt8]) {
        if bytes.count > Self.sizeLimit {
            self.init(name: name, problem: "is larger than the maximum for prices (4 MiB)")
        } else if let text = String(validating: bytes, as: UTF8.self) {
            self.init(name: name, text: text)
        } else {
            self.init(name: name, problem: "is not UTF-8 text")
        }
    }
}

/// A source of energy prices: a local file, or a command that the user has chosen. Nothing else is read, and no location
/// is given to anyone.
///
/// Both give CSV text in the form that `PriceForecasts(csv:file:)` of the module `TransferPolicy` reads.
///
/// ```swift
/// configuration.prices = .file("/etc/tariff.csv")
/// ```
public enum PriceSource: Hashable, Sendable {
    /// A file with an absolute path. Read at the start, after each change, and when its prices end.
    case file(String)
    /// A program and its arguments, which run without a shell. The first element is an absolute path, or a name that is
    /// looked up in `PATH`. Runs at the start, every hour, and when its prices end; ended after 30 s.
    case command([String])

    /// The name of the source in errors.
    var name: String {
        switch self {
        case .file(let path): path
        case .command(let words): "the output of '\(words.joined(separator: " "))'"
        }
    }
}
