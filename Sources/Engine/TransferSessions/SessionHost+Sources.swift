// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic
internal import TransferEngine
package import TransferModel

/// Files that uploads send: kept before their order is acknowledged, removed when their task ends.
extension SessionHost {
    /// Carries an order out. On return it is saved, and the file of an upload is kept: neither side's end undoes it, and
    /// the app may delete its file. An order may be given twice.
    ///
    /// - Parameter file: the file of an upload if it is not to be opened by its path.
    /// - Throws: `SessionRefusal` if the client does not use the session, its app has too many files here, or the order
    ///   could not be saved.
    package func post(
        _ order: TaskOrder, in key: SessionKey, from client: String, file: SourceFile? = nil
    ) async throws {
        let task = SessionMachine.TaskKey(session: key, number: order.task)
        if let submission = submissions[task] {
            // Given again while its file is still being copied: nothing is copied twice.
            if case .submit = order { return try await submission.value }
            _ = await submission.result
        }
        guard case .submit(let snapshot) = order, machine.isNew(snapshot, in: key, from: client) else {
            return try await perform(order, in: key, from: client)
        }
        guard case .upload(let path) = snapshot.kind, !machine.continuesKept(snapshot, in: key) else {
            try files.checkRoom(of: key.app, downloaded: downloadedBytes(of: key.app))
            return try await perform(order, in: key, from: client)
        }
        // Before a byte is copied; once more in the session's turn.
        try machine.checkRoom(for: snapshot, in: key)
        // The session's turn is not taken meanwhile: a long copy keeps no other task from ending.
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
            // Refused meanwhile, or over already.
            if let kept = try? source.get(), machine.task(number, in: key)?.source != kept { files.remove(kept) }
        }
        try await perform(.submit(snapshot), in: key, from: client, source: source)
    }

    // MARK: Their limit

    /// Changes the most bytes of files that an app may have. What is there stays.
    package func limitFiles(perApp bytes: Int64) { files.limit = bytes }

    /// The bytes of an app's finished and partial files, at most a second old.
    package func downloadedBytes(of app: String) -> Int64 {
        files.downloadedBytes(of: app, at: alarm.now().instant) { machine.fileUsage(of: app) }
    }
}
