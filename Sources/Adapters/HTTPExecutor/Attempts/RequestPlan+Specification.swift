// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferEngine
internal import TransferModel

extension RequestPlan {
    /// Creates the plan of an attempt that begins now.
    init(_ specification: TransferSpecification, _ environment: ExecutorEnvironment) {
        self.init(
            url: specification.url, headers: specification.headers,
            cookies: specification.headers.firstValue("Cookie") == nil ? specification.cookies ?? [] : [],
            userAgent: environment.configuration.userAgent,
            logins: LoginPlan(specification), proxy: environment.proxy(for: specification.url),
            allowsInsecureRedirect: specification.allowsInsecureRedirect,
            acceptsWebPages: specification.acceptsWebPages,
            allowsLocalRedirect: environment.configuration.allowsLocalRedirects && !specification.isSandboxed,
            staysOnLoopback: specification.traits.isLoopback, now: MonotonicTime.wallSeconds())
    }
}

extension DownloadPlan {
    /// Creates the plan of an attempt that begins now, with the bytes that earlier attempts left.
    ///
    /// - Parameters:
    ///   - job: The transfer to attempt.
    ///   - environment: The state that all attempts of the executor share.
    ///   - location: The partial file and the bytes in it.
    ///   - isUnchanged: Whether the finished file of an earlier run is unchanged.
    init(_ job: TransferJob, _ environment: ExecutorEnvironment, at location: PartialFileState, isUnchanged: Bool) {
        let specification = job.specification
        self.init(request: RequestPlan(specification, environment))
        body = specification.body
        hasChecksum = specification.checksum != nil
        keepsErrorBody = specification.keepsErrorBody
        maximumBytes = specification.maximumBytes
        deliversEncodedBodies = environment.client.controlsConnections
        offset = location.offset
        extents = location.extents
        // A resume point without extents would treat the length of a file with holes as its content after a crash.
        connections = job.resume.map { $0.extents == nil } == true ? 1 : specification.connections
        total = job.resume?.total
        validator = job.resume?.validator
        // A file with the right checksum was found before, so the earlier file has another one.
        if specification.checksum == nil, isUnchanged { completedBefore = specification.completedBefore }
    }
}
