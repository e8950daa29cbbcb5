// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

/// The opening of the partial file by another process.
///
/// All attempts share one queue, which must not wait for each file in turn. So an attempt puts its events aside while its
/// file is being opened.
extension DownloadAttempt {
    /// Puts an event aside if the partial file is being opened; returns whether it does.
    ///
    /// - Parameter bytes: The number of bytes that the event keeps in memory.
    func defers(_ event: @escaping @Sendable (isolated DownloadAttempt) -> Void, bytes: Int = 0) -> Bool {
        guard let result = opening?.result else { return false }
        opening?.events.append(event)
        opening?.bytes += bytes
        if let opening, opening.bytes > ExecutorEnvironment.largestWaiting {
            // A fast server must not fill the memory while the disk is slow. The request may still be held.
            consumer.finishWork()
            result.change(once: { $0 != nil }) { _ in }
            finishOpening(result)
        }
        return true
    }

    func finishOpening(_ result: FileOpening.Outcome) {
        guard let opening, opening.result === result, let opened = result.value else { return }
        self.opening = nil
        do throws(FileFailure) {
            try writer.adopt(opened.get(), present: machine.present)
            receive(opening.serverFile)
        } catch {
            fail(error)
        }
        for event in opening.events { event(self) }
    }
}

/// A partial file that is being opened, and the events that wait for it.
struct FileOpening {
    /// The open file or the failure; `nil` until it is known.
    typealias Outcome = Monitor<Result<PartialFile, FileFailure>?>

    let serverFile: ServerFile
    let result: Outcome
    fileprivate var events: [@Sendable (isolated DownloadAttempt) -> Void] = []
    fileprivate var bytes = 0

    /// Lets another process open the file. Returns `nil` if this process opens it itself.
    ///
    /// - Parameter completion: A closure that is called on another thread once the result is there.
    init?(
        _ serverFile: ServerFile, of context: AttemptContext, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        let result = Outcome(nil)
        let begins = context.files.beginOpening(for: serverFile) { opened in
            result.change { $0 = opened }
            completion(result)
        }
        guard begins else { return nil }
        (self.serverFile, self.result) = (serverFile, result)
    }
}
