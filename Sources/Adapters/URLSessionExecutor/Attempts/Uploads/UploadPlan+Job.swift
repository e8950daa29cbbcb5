// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

extension UploadPlan {
    /// Creates the plan of an attempt that begins now. The attempt continues where an earlier attempt of an equally
    /// large file ended.
    init(_ job: TransferJob, _ source: UploadSource, _ environment: ExecutorEnvironment) {
        self.init(request: RequestPlan(job.specification, environment), source: source)
        guard job.resume?.total == source.size else { return }
        resume = job.resume?.upload
        offset = job.resume?.offset ?? 0
    }
}
