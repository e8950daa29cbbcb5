// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
import TransferEngine
import TransferFiles
internal import TransferModel

/// The sanitization of a worker's reports: paths come from this process, and numbers and texts stay within bounds.
extension BrokeredFiles {
    /// The largest size of a file in bytes. JSON and doubles represent integers exactly up to this value.
    private static let largest: Int64 = 1 << 53
    /// The maximum number of extents of a file. Far more than the allowed connections can leave.
    private static let mostExtents = 4096

    func checked(_ report: ExecutorReport) -> ExecutorReport {
        switch report {
        case .progressed(let bytes, let total):
            .progressed(bytes: Self.bounded(bytes), total: total.map(Self.bounded))
        case .checkpointed(let resume): checked(resume).map { .checkpointed($0) } ?? .restarted(.bytesMissing)
        case .restarted(let cause): .restarted(cause)
        case .responded(let time): .responded(after: min(max(time, .zero), .seconds(86_400)))
        case .ended(let outcome): .ended(checked(outcome))
        }
    }

    private func checked(_ outcome: ExecutorOutcome) -> ExecutorOutcome {
        switch outcome {
        case .finished(let completion): checked(completion)
        case .stopped(let resume): .stopped(resume.flatMap(checked))
        case .storageLow(let needed, let available, let resume):
            .storageLow(
                needed: needed.map(Self.bounded), available: Self.bounded(available), resume: resume.flatMap(checked))
        case .challenged(let challenges, let resume):
            .challenged(
                challenges.prefix(16).filter { ($0.realm ?? "").utf8.count + $0.origin.utf8.count <= String.longest },
                resume: resume.flatMap(checked))
        case .failed(let failure, let resume): .failed(Self.bounded(failure), resume: resume.flatMap(checked))
        }
    }

    private func checked(_ completion: TransferCompletion) -> ExecutorOutcome {
        var checked = completion
        checked.status = min(max(completion.status, 100), 999)
        checked.answer = completion.answer.map {
            UploadResponse(body: $0.body, contentType: $0.contentType?.bounded, isCut: $0.isCut)
        }
        if let head = completion.response, head.headers.reduce(head.url.utf8.count, { $0 + $1.size }) > 256 << 10 {
            checked.response = nil
        }
        guard job.specification.upload == nil else {
            checked.file = nil
            checked.wasAlreadyComplete = false
            return .finished(checked)
        }
        checked.answer = nil
        guard completion.file != nil else { return .finished(checked) }
        guard let file = finishedFile(wasAlreadyComplete: completion.wasAlreadyComplete) else {
            let message = "The worker process reported a file that it had not finished."
            return .failed(TransferFailure(cause: .executorLost, message: message), resume: nil)
        }
        checked.file = file
        return .finished(checked)
    }

    /// Returns the resume point with this process's own path, or `nil` if there is nothing to continue.
    private func checked(_ resume: ResumePoint) -> ResumePoint? {
        let offset = Self.bounded(resume.offset)
        let total = resume.total.map(Self.bounded)
        guard job.specification.upload == nil else {
            guard let upload = resume.upload, upload.url.utf8.count <= String.longest else { return nil }
            return ResumePoint(upload: upload, offset: offset, total: total ?? 0)
        }
        let (path, number) = partial
        guard !path.isEmpty else { return nil }
        return ResumePoint(
            path: path, offset: offset, total: total, validator: resume.validator?.bounded,
            bootID: resume.bootID == BootIdentity.current ? resume.bootID : "", fileNumber: number,
            extents: resume.extents.map { Self.checked($0, from: offset) })
    }

    /// Returns the leading extents that are valid and in order.
    private static func checked(_ extents: [Extent], from offset: Int64) -> [Extent] {
        var end = offset
        var kept: [Extent] = []
        for extent in extents.prefix(mostExtents) {
            guard extent.start >= end, extent.end > extent.start, extent.end <= largest else { break }
            kept.append(extent)
            end = extent.end
        }
        return kept
    }

    private static func bounded(_ number: Int64) -> Int64 { min(max(number, 0), largest) }

    private static func bounded(_ failure: TransferFailure) -> TransferFailure {
        var bounded = failure
        bounded.message = failure.message.bounded
        bounded.retryAfterServer = failure.retryAfterServer?.bounded
        bounded.retryAfterSeconds = failure.retryAfterSeconds.map { min(max($0, 0), 1 << 31) }
        return bounded
    }
}

extension String {
    /// The maximum length of a worker's text in bytes of UTF-8.
    static let longest = 8 << 10

    /// The text, truncated to the maximum length.
    var bounded: String {
        utf8.count <= Self.longest ? self : String(decoding: utf8.prefix(Self.longest), as: UTF8.self)
    }
}

extension HeaderField {
    fileprivate var size: Int { name.utf8.count + value.utf8.count }
}

extension Validator {
    /// The validator, or `nil` if a part of it is too long. A truncated validator would name another version.
    fileprivate var bounded: Validator? {
        [entityTag, lastModified].allSatisfy { ($0?.utf8.count ?? 0) <= String.longest } ? self : nil
    }
}

extension ServerFile {
    /// A copy without values that are too long.
    var bounded: ServerFile {
        var bounded = self
        bounded.version = version?.bounded
        // A name is cut to the limit of the folder. A longer value is not a name.
        if (disposition?.utf8.count ?? 0) > 64 << 10 { bounded.disposition = nil }
        bounded.url = url.bounded
        bounded.lastModified = lastModified?.bounded
        return bounded
    }
}
