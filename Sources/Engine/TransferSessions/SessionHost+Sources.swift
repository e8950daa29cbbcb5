// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic
internal import TransferEngine
package import TransferModel

/// The files of uploads. The host keeps a file before it acknowledges the order, and removes it when the task ends.
extension SessionHost {
    /// Performs an order.
    ///
    /// Returns after the order is saved and the file of an upload is kept. From then on, the end of the app or of this
    /// process does not undo the order, and the app may delete its file. Safe to repeat.
    ///
    /// - Parameter file: The file of an upload, if the file is not opened by its path.
    /// - Throws: `SessionRefusal` if the client does not use the session, its app has too many files, or the order
    ///   could not be saved.
    package func post(
        _ order: TaskOrder, in key: SessionKey, from client: String, file: SourceFile? = nil
    ) async throws {
        let task = SessionMachine.TaskKey(session: key, number: order.task)
        if let submission = submissions[task] {
            // The order was repeated while its file is still being copied: the file is not copied twice.
            if case .submit = order { return try await submission.value }
            _ = await submission.result
        }
        guard case .submit(let snapshot) = order, machine.isNew(snapshot, in: key, from: client) else {
            return try await perform(order, in: key, from: client)
        }
        guard case .upload(let path) = snapshot.kind, !machine.continuesKeptUpload(snapshot, in: key) else {
            try files.checkRoom(of: key.app, downloaded: downloadedBytes(of: key.app))
            return try await perform(order, in: key, from: client)
        }
        // Checked before the copy, and again in the session's turn.
        try machine.checkRoom(for: snapshot, in: key)
        // The copy does not occupy the session's turn, so a long copy does not keep other tasks from ending.
        let submission = Task {
            try await submit(snapshot, keeping: file ?? .path(path), in: key, from: client)
        }
        submissions[task] = submission
        defer { submissions[task] = nil }
        try await withTaskCancellationHandler {
            try await submission.value
        } onCancel: {
            submission.cancel()
        }
    }

    private func submit(
        _ snapshot: TaskSnapshot, keeping file: SourceFile, in key: SessionKey, from client: String
    ) async throws {
        let source = try await files.keep(file, for: key.app, downloaded: downloadedBytes(of: key.app))
        let number = snapshot.identifier
        defer {
            // The task was refused in the meantime, or has already ended.
            if let kept = try? source.get(), machine.task(number, in: key)?.source != kept { files.remove(kept) }
        }
        try await perform(.submit(snapshot), in: key, from: client, source: source)
    }

    // MARK: Limit

    /// Changes the maximum number of bytes for the files of each app. Existing files stay.
    package func limitFiles(perApp bytes: Int64) { files.limit = bytes }

    /// Returns the bytes of an app's finished and partial files. The value is at most one second old.
    package func downloadedBytes(of app: String) -> Int64 {
        files.downloadedBytes(of: app, at: alarm.now().instant) { machine.fileUsage(of: app) }
    }
}
