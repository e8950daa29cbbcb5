// SPDX-License-Identifier: Apache-2.0
import Glibc
public import TransferEngine
public import TransferModel

/// What of an executor's work needs no network and no running executor: whoever supervises one does it here.
public enum ExecutorFiles {
    /// Removes the partial file, and the mark that it got its final name; nothing else is touched. Safe to repeat.
    public static func discard(_ resume: ResumePoint) {
        guard resume.path.hasSuffix(".part") else { return }
        PlacedFile.removeMark(of: resume.path)
        if FileFacts(path: resume.path)?.kind == .regular { unlink(resume.path) }
    }

    /// The same for a transfer, whose folder may be known by its identity: nothing is removed where it is another one.
    public static func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        let destination = job.specification.destination
        guard let identity = destination.folderIdentity else { return discard(resume) }
        guard let handle = try? FolderHandle(destination, identity) else { return }
        var located = resume
        located.path = handle.location(of: resume.path)
        discard(located)
    }

    /// How many bytes may still be written where the partial and the finished file go, the floor of `configuration`
    /// deducted; nil where that cannot be told, and for an upload, which writes nothing.
    public static func availableSpace(
        for specification: TransferSpecification, configuration: URLSessionExecutorConfiguration
    ) -> Int64? {
        guard specification.upload == nil else { return nil }
        return availableSpace(at: specification.destination.directory, configuration: configuration)
    }

    /// The number of bytes that may still be written in the folder at `path`, after `configuration`'s floor is deducted.
    ///
    /// - Returns: nil if the file system does not tell.
    public static func availableSpace(at path: String, configuration: URLSessionExecutorConfiguration) -> Int64? {
        VolumeSpace(floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
            .available(at: path)
    }
}
