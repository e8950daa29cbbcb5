// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
import Synchronization

/// Asks a program whether it can continue the work of the daemon: it is run with `--check`, and with the arguments of
/// the daemon.
///
/// A program that cannot is a file that is not yet complete, a program that lacks a library, and an older release,
/// which cannot read the queue.
struct ReplacementCheck: Sendable {
    enum Outcome: Hashable, Sendable {
        /// The program can continue. The value is its version.
        case accepted(String)
        /// The program cannot continue. The value is the reason.
        case refused(String)
    }

    /// The option with which the program is run.
    static let option = "--check"

    /// The arguments of the daemon; the first is the program's name.
    let arguments: [String]
    /// The time after which the program counts as hung.
    var patience = DispatchTimeInterval.seconds(20)

    /// Runs the program at a path to its end.
    func outcome(of path: String) async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "transferd.check").async { continuation.resume(returning: run(path)) }
        }
    }

    private func run(_ path: String) -> Outcome {
        guard let output = ProcessImage.file(containing: []), let errors = ProcessImage.file(containing: []) else {
            return .refused("no memory")
        }
        defer {
            close(output)
            close(errors)
        }
        var child = ChildProgram(
            path, arguments + [Self.option], environment: ProcessInfo.processInfo.environment)
        (child.output, child.errors) = (.file(output), .file(errors))
        let process: Int32
        do { process = try child.start() } catch { return .refused("\(error)") }
        let hasEnded = Mutex(false)
        let isLate = Mutex(false)
        let late = DispatchWorkItem {
            // The process is collected only after `hasEnded` is set, so its ID is not in use again.
            hasEnded.withLock { hasEnded in
                guard !hasEnded else { return }
                kill(process, SIGKILL)
                isLate.withLock { $0 = true }
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: late)
        ChildProgram.awaitEnd(of: process)
        hasEnded.withLock { $0 = true }
        late.cancel()
        let end = ChildProgram.collect(process)
        if end == .status(0) { return .accepted(Self.text(of: output)) }
        if isLate.withLock({ $0 }) { return .refused("it did not answer in time") }
        let reason = Self.text(of: errors)
        guard reason.isEmpty else { return .refused(reason) }
        return .refused(end.map { "it ended with \($0)" } ?? "its end is unknown")
    }

    /// Returns the beginning of a file, without line breaks at its ends.
    private static func text(of file: Int32) -> String {
        String(decoding: ProcessImage.contents(of: file).prefix(2000), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
