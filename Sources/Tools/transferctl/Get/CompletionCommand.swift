// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferEngine
import TransferPolicy

/// The command of `--on-complete`, run by the shell after each transfer.
struct CompletionCommand: Sendable {
    let command: String

    /// Runs it and waits for its end.
    ///
    /// - Returns: whether it ended with status 0.
    func run(_ update: TransferUpdate, specification: TransferSpecification?) async -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        var environment = ProcessInfo.processInfo.environment
        environment["TRANSFER_ID"] = update.id.description
        environment["TRANSFER_URL"] = specification.map { TransferSpecification.redacted(url: $0.url) } ?? ""
        environment["TRANSFER_RESULT"] = update.isFailure ? "failed" : "finished"
        if case .finished(let completion) = update.kind {
            environment["TRANSFER_STATUS"] = String(completion.status)
            environment["TRANSFER_PATH"] = completion.file?.path ?? ""
        }
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        return await withCheckedContinuation { continuation in
            process.terminationHandler = { ended in
                continuation.resume(returning: ended.terminationReason == .exit && ended.terminationStatus == 0)
            }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(returning: false)
            }
        }
    }
}
