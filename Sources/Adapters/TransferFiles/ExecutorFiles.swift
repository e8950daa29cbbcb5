// SPDX-License-Identifier: Apache-2.0
import Glibc
public import TransferEngine
public import TransferModel

/// Operations on an executor's files that need neither the network nor a running executor. A supervisor of executors
/// calls them.
public enum ExecutorFiles {
    /// Removes the partial file and its mark. Removes nothing else. Safe to call repeatedly.
    public static func discard(_ resume: ResumePoint) {
        guard resume.path.hasSuffix(".part") else { return }
        PlacedFile.removeMark(of: resume.path)
        if FileFacts(path: resume.path)?.kind == .regular { unlink(resume.path) }
    }

    /// Removes the partial file of a transfer and its mark.
    ///
    /// If the destination folder has an identity and the folder at its path is another folder, nothing is removed.
    public static func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        let destination = job.specification.destination
        guard let identity = destination.folderIdentity else { return discard(resume) }
        guard let handle = try? FolderHandle(destination, identity) else { return }
        var located = resume
        located.path = handle.location(of: resume.path)
        discard(located)
    }

    /// Returns the number of bytes that may still be written for a transfer, after the floor of `configuration` is
    /// deducted.
    ///
    /// Returns `nil` if the file system does not report its space, and for an upload, which writes no file.
    public static func availableSpace(
        for specification: TransferSpecification, configuration: HTTPExecutorConfiguration
    ) -> Int64? {
        guard specification.upload == nil else { return nil }
        return availableSpace(at: specification.destination.directory, configuration: configuration)
    }

    /// Returns the number of bytes that may still be written in the folder at `path`, after the floor of
    /// `configuration` is deducted.
    ///
    /// Returns `nil` if the file system does not report its space.
    public static func availableSpace(at path: String, configuration: HTTPExecutorConfiguration) -> Int64? {
        VolumeSpace(floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
            .available(at: path)
    }
}
