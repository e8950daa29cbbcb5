// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel

/// The programs that the user has named with `--on-complete`, started after transfers have finished or failed.
///
/// A program starts at most once: if the daemon is killed between the end of a transfer and the start, the program does
/// not run. The program is an argument vector of the user. Everything that a server may choose, such as a file's name, is
/// in the environment only.
final class CompletionPrograms: Sendable {
    /// Starts a program, and returns an error message if that fails.
    typealias Starter = @Sendable (_ words: [String], _ environment: [String: String]) async -> String?

    private let programs = Mutex<[TransferID: [String]]>([:])
    private let start: Starter

    /// Creates an empty collection whose programs are started by `start`.
    init(start: @escaping Starter) { self.start = start }

    /// Remembers the program of an unfinished transfer, if there is one.
    func record(_ id: TransferID, _ specification: TransferSpecification) {
        guard let words = specification.onComplete else { return }
        programs.withLock { $0[id] = words }
    }

    /// Starts the program of an ended transfer, if there is one. Canceled transfers start none.
    ///
    /// - Returns: An error message if the program could not be started.
    func transferEnded(_ status: TransferStatus) async -> String? {
        guard let words = programs.withLock({ $0.removeValue(forKey: status.id) }), status.state != .cancelled else {
            return nil
        }
        return await start(words, Self.environment(of: status))
    }

    /// Returns the variables that describe an ended transfer, as `transferctl get` sets them.
    static func environment(of status: TransferStatus) -> [String: String] {
        var variables = [
            "TRANSFER_ID": status.id.description, "TRANSFER_URL": status.url,
            "TRANSFER_RESULT": status.state == .finished ? "finished" : "failed",
        ]
        if let response = status.status {
            variables["TRANSFER_STATUS"] = String(response)
            variables["TRANSFER_PATH"] = status.path ?? ""
        }
        return variables
    }
}
