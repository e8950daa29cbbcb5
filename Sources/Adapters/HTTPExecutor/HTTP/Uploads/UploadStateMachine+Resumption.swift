// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocols that send a file in several requests: tus, and the draft of resumable uploads.
extension UploadStateMachine {
    mutating func discovered(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        let versions = head.list("Tus-Version")
        guard (200..<300).contains(head.status), versions.contains("1.0.0"),
            head.list("Tus-Extension").contains("creation")
        else { return discard(head, then: .send(plan.wholeFileRequest)) }
        var next = attemptRequest
        next.kind = .create
        next.visited = [attemptRequest.url]
        return discard(head, then: .send(next))
    }

    mutating func created(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        guard (200..<300).contains(head.status) else {
            // 412 means that the server uses another version of tus.
            return head.status == 412 ? discard(head, then: .send(plan.wholeFileRequest)) : final(attemptRequest, head)
        }
        uploadLocation = UploadLocation(.tus, head, from: attemptRequest.url, for: plan)
        guard uploadLocation != nil else {
            return discard(
                head, then: .fail(malformed("created the upload but sent no URL for it.")))
        }
        return append(head)
    }

    mutating func offsetReceived(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        switch head.status {
        case 200..<300:
            let length = head.value("Upload-Length").flatMap { Int64($0) } ?? plan.source.size
            guard let offset = head.uploadOffset, offset <= plan.source.size, length == plan.source.size else {
                return restart(head)
            }
            let isComplete =
                uploadLocation?.resource.kind == .tus ? offset == plan.source.size : head.saysUploadIsComplete == true
            if isComplete { return final(attemptRequest, head) }
            return continueUpload(from: offset, head)
        case 401, 407, 408, 425, 429, 500...599:
            return final(attemptRequest, head)
        case 423:
            // Another request still locks the upload: the server has not noticed that an earlier connection is dead.
            return discard(head, then: .fail(temporaryFailure(head)))
        case 400..<500:
            return restart(head)
        default:
            return discard(
                head, then: .fail(malformed("returned \(head.status) for the upload offset.")))
        }
    }

    mutating func appended(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        let isTus = uploadLocation?.resource.kind == .tus
        switch head.status {
        case 200..<300 where isTus:
            guard let offset = head.uploadOffset, (0...plan.source.size).contains(offset) else {
                return requestOffset(head)
            }
            return offset == plan.source.size ? final(attemptRequest, head) : continueUpload(from: offset, head)
        case 200..<300 where isPart && head.saysUploadIsComplete != true:
            return partAccepted(head)
        case 200..<300:
            return head.saysUploadIsComplete == false ? requestOffset(head) : final(attemptRequest, head)
        case 413 where !isTus && limits.maximumAppend.map { $0 < sending.count } == true:
            return requestOffset(head)
        case 409:
            return requestOffset(head)
        case 404, 410:
            return head.saysUploadIsComplete == true ? final(attemptRequest, head) : restart(head)
        case 423:
            // Another request still locks the upload: the server has not noticed that an earlier connection is dead.
            return discard(head, then: .fail(temporaryFailure(head)))
        default:
            return final(attemptRequest, head)
        }
    }

    /// Sends the missing bytes from `offset` on.
    mutating func continueUpload(from offset: Int64, _ head: ResponseHead) -> [Directive] {
        guard let isBelievable = uploadLocation?.confirm(offset) else { return restart(head) }
        return isBelievable ? append(head) : contradicts(head)
    }

    private mutating func append(_ head: ResponseHead) -> [Directive] {
        guard let next = uploadLocation?.attemptRequest(.append, of: plan), let resumePoint else {
            return restart(head)
        }
        return [.remember(resumePoint)] + discard(head, then: .send(next))
    }

    mutating func requestOffset(_ head: ResponseHead) -> [Directive] {
        if uploadLocation?.contradict() == false { return contradicts(head) }
        guard let next = uploadLocation?.attemptRequest(.offset, of: plan) else { return restart(head) }
        return discard(head, then: .send(next))
    }

    private mutating func contradicts(_ head: ResponseHead) -> [Directive] {
        discard(head, then: .fail(malformed("reported contradictory upload offsets.")))
    }

    /// Restarts the upload because the server has lost the upload. Allowed once per attempt.
    mutating func restart(_ head: ResponseHead) -> [Directive] {
        uploadLocation = nil
        guard !hasRestarted else {
            return discard(head, then: .fail(malformed("lost the upload twice.")))
        }
        hasRestarted = true
        return [.restart] + discard(head, then: .send(plan.initialRequest))
    }
}
