// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
import Logging

/// A component that shows a file to the user by the first means that the desktop has.
struct FilePresenter: Sendable {
    /// A means to show a file.
    struct Means: Sendable {
        /// The name of the means, for messages.
        var name: String
        /// Shows the file. Returns a description of the error, or `nil` on success.
        var show: @Sendable () async -> String?
    }

    private let logger: Logger
    private static let queue = DispatchQueue(label: "transferd.open", attributes: .concurrent)

    /// Creates a presenter that reports to `logger` what cannot be shown.
    init(logger: Logger) { self.logger = logger }

    /// Tries the means in order until one succeeds.
    ///
    /// - Returns: A description of all errors, or `nil` on success.
    func show(_ path: String, by means: [Means]) async -> String? {
        guard FileManager.default.fileExists(atPath: path) else {
            logger.warning("a file of a notification is gone", metadata: ["path": "\(path)"])
            return "\(path) is gone"
        }
        var failures: [String] = []
        for way in means {
            guard let failure = await way.show() else { return nil }
            failures.append("\(way.name): \(failure)")
        }
        let text = failures.joined(separator: "; ")
        logger.warning(
            "nothing on this desktop shows a file of a notification",
            metadata: ["path": "\(path)", "errors": "\(text)"])
        return text
    }

    /// Opens a file or a folder with xdg-open, which waits for the program that it starts on some desktops.
    ///
    /// - Returns: A description of the error, or `nil` on success.
    static func xdgOpen(_ path: String) async -> String? {
        var opener = ChildProgram(
            "/usr/bin/env", ["env", "xdg-open", path], environment: ProcessInfo.processInfo.environment)
        (opener.output, opener.errors, opener.group) = (.null, .null, .ownSession)
        let process: Int32
        do { process = try opener.start() } catch { return "\(error)" }
        return await withCheckedContinuation { continuation in
            queue.async {
                let end = ChildProgram.collect(process)
                continuation.resume(returning: end == .status(0) ? nil : Self.description(of: end))
            }
        }
    }

    private static func description(of end: ChildProgram.End?) -> String {
        switch end {
        case nil: "ended in an unknown way"
        case .status(127): "not installed"
        case .status(let status): "ended with status \(status)"
        case .signal(let signal): "ended by signal \(signal)"
        }
    }
}
