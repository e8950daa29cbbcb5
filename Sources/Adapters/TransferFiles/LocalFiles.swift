// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import HTTPSyntax
import Synchronization
package import TransferEngine
package import TransferModel

/// The files of an attempt, opened by path with the permissions of this process.
package final class LocalFiles: AttemptFiles {
    private struct State: Sendable {
        var partialPath: String
        var handle: FolderHandle?
    }
    private let job: TransferJob
    private let partialDirectory: String
    private let space: VolumeSpace
    private let calls: FileCalls
    private let state: Mutex<State>

    /// Creates the files of `job` with the folders and limits of `configuration`.
    package convenience init(job: TransferJob, configuration: HTTPExecutorConfiguration) {
        self.init(job: job, configuration: configuration, calls: FileCalls())
    }

    package init(job: TransferJob, configuration: HTTPExecutorConfiguration, calls: FileCalls) {
        self.job = job
        self.calls = calls
        partialDirectory = configuration.partialDirectory
        space = VolumeSpace(
            floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
        state = Mutex(State(partialPath: job.resume?.path ?? ""))
    }

    /// The path of the partial file. Empty if no partial file is recorded and `prepare` has not been called.
    package var partialPath: String { state.withLock { $0.partialPath } }

    private var specification: TransferSpecification { job.specification }

    /// Returns the destination folder, opened on first use. Returns `nil` if the destination has no folder identity.
    private func handle() throws(FileFailure) -> FolderHandle? {
        guard let identity = specification.destination.folderIdentity else { return nil }
        if let handle = state.withLock({ $0.handle }) { return handle }
        let handle = try FolderHandle(specification.destination, identity)
        state.withLock { $0.handle = handle }
        return handle
    }

    /// Returns the specification with the destination's path for system calls.
    private func located(_ handle: FolderHandle?) -> TransferSpecification {
        var located = specification
        if let handle { located.destination.directory = handle.path }
        return located
    }

    /// Returns the destination folder for a file of the given response, and the file's name before numbering.
    private func folder(
        _ handle: FolderHandle?, for server: ServerFile
    ) -> (folder: DestinationFolder, name: String) {
        var located = located(handle)
        let name =
            located.destination.name
            ?? ServerFileName.name(
                disposition: server.disposition, url: server.url, limit: DestinationFolder(located).nameLimit)
        // A name that the server chose never replaces a file (C8).
        located.destination = Destination(of: located, named: name)
        return (DestinationFolder(located), name)
    }

    package func prepare(isStopped: () -> Bool) -> (PreparedFiles, OwnedDescriptor?) {
        guard let source = specification.upload else { return (prepareDownload(isStopped), nil) }
        do throws(TransferFailure) {
            return (.upload, try UploadFile(source).descriptor)
        } catch {
            return (.unreadable(error), nil)
        }
    }

    private func prepareDownload(_ isStopped: () -> Bool) -> PreparedFiles {
        do throws(FileFailure) {
            return try completingFailures { () throws(FileFailure) in
                let handle = try handle()
                let location: (String) -> String = { handle?.location(of: $0) ?? $0 }
                let folder = DestinationFolder(located(handle))
                try folder.make()
                let partial = try PartialFileState.find(
                    for: job, partialDirectory: partialDirectory, location: location)
                state.withLock { $0.partialPath = partial.path }
                // Must precede the check of the destination, because the placed file itself may occupy the name.
                if var placed = PlacedFile.find(location(partial.path), job.resume, in: folder.destination) {
                    let path = shown(placed.file?.path ?? "")
                    placed.file?.path = path
                    return .placed(placed, partialPath: partial.path)
                }
                // Precedes the check, too, because this file may have the name that must be free.
                if job.resume == nil, var present = PresentFile(specification, in: folder).proven(isStopped) {
                    present.path = shown(present.path)
                    let completion = TransferCompletion(status: 200, file: present, wasAlreadyComplete: true)
                    return .placed(completion, partialPath: partial.path)
                }
                guard !isStopped() else { return .download(partial, isUnchanged: false) }
                try folder.check()
                return .download(partial, isUnchanged: PresentFile(specification, in: folder).unchanged != nil)
            }
        } catch {
            return .failed(error)
        }
    }

    package func open(for server: ServerFile) throws(FileFailure) -> PartialFile {
        try completingFailures { () throws(FileFailure) in
            let handle = try handle()
            let location: (String) -> String = { handle?.location(of: $0) ?? $0 }
            // A failure now is better than a failure after all bytes are received.
            if specification.destination.name == nil {
                let (folder, name) = folder(handle, for: server)
                try folder.check(name)
            }
            let path = partialPath
            try PartialFileState.prepare(location(path))
            // Only the recorded file is continued, and no other file of that name.
            let isRecorded = job.resume.map { PartialFileState.recorded($0, at: location(path)) != nil } ?? false
            let opened =
                try isRecorded
                ? PartialFile(path: path, location: location(path), isNew: false, calls: calls)
                : PartialFileState.create(path, location: location, calls: calls)
            state.withLock { $0.partialPath = opened.path }
            return opened
        }
    }

    package func adopt(
        _ file: PartialFile, as server: ServerFile, size: Int64
    ) throws(FileFailure) -> CompletedFile? {
        // A file that lost its name cannot be renamed. A file that has this name now belongs to another program.
        guard file.size == size, file.hasItsName else { return nil }
        return try completingFailures { () throws(FileFailure) in
            let (folder, name) = folder(try handle(), for: server)
            let modified = specification.usesRemoteTime ? server.lastModified.flatMap(FinalAttributes.nanoseconds) : nil
            try folder.attributes.apply(
                to: file.descriptor, path: file.path, in: folder.destination.directory, modified: modified)
            if let failure = file.syncNow(ByteRanges([0..<size]), withFacts: true) { throw failure }
            let path = try folder.adopt(file, name: name, (server.finalStatus, server.version))
            return CompletedFile(
                path: shown(path), bytes: size, modified: FileFacts(path: path)?.modified ?? 0,
                validator: server.version)
        }
    }

    package func remove(_ file: PartialFile?) {
        guard let handle = try? handle() else {
            // If another folder has replaced the destination folder, nothing is removed there.
            guard specification.destination.folderIdentity == nil else { return }
            return Self.remove(file, at: partialPath)
        }
        Self.remove(file, at: handle.location(of: partialPath))
    }

    private static func remove(_ file: PartialFile?, at path: String) {
        if file?.hasItsName ?? (FileFacts(path: path)?.kind == .regular) { unlink(path) }
    }

    /// Returns the recorded path for a path that is used in system calls.
    private func shown(_ path: String) -> String { state.withLock { $0.handle }?.shown(path) ?? path }

    /// Calls `body` and completes the failure that it throws.
    ///
    /// A failure for lack of space receives the number of available bytes. For the copy next to the destination, the
    /// space of the destination is measured. Paths become the paths that the user knows.
    private func completingFailures<Value>(_ body: () throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        do throws(FileFailure) {
            return try body()
        } catch {
            var completed = error
            completed.path = shown(error.path)
            if error.isStorageLow {
                let path = error.isCopy || partialPath.isEmpty ? error.path : partialPath
                completed.available = space.available(at: Paths.parent(path)) ?? 0
            }
            throw completed
        }
    }
}
