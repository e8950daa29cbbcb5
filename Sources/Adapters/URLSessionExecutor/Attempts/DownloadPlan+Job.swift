// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

extension DownloadPlan {
    /// The plan of an attempt that begins now, with the bytes that earlier attempts left at `place`.
    ///
    /// - Parameter isUnchanged: whether the file of an earlier run is still as it was.
    init(_ job: TransferJob, _ environment: ExecutorEnvironment, at place: PartialPlace, isUnchanged: Bool) {
        let specification = job.specification
        self.init(request: RequestPlan(specification, environment))
        firstRequestBytes = environment.configuration.firstRequestBytes
        keepsErrorBody = specification.keepsErrorBody
        maximumBytes = specification.maximumBytes
        deliversEncodedBodies = environment.isRepaired
        offset = place.offset
        extents = place.extents
        // A point without extents would take the length of a file with holes for its content after a crash.
        connections = job.resume.map { $0.extents == nil } == true ? 1 : specification.connections
        total = job.resume?.total
        validator = job.resume?.validator
        // A checksum says what is wanted, and nobody has held the earlier file against it: that one is fetched anew.
        if specification.checksum == nil, isUnchanged { completedBefore = specification.completedBefore }
    }
}
