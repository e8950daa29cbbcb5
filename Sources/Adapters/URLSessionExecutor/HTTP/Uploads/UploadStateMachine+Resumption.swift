// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocols that send a file in several requests: tus, and the draft of resumable uploads.
extension UploadStateMachine {
    mutating func discovered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let versions = head.list("Tus-Version")
        guard (200..<300).contains(head.status), versions.contains("1.0.0"),
            head.list("Tus-Extension").contains("creation")
        else { return discard(head, then: .ask(plan.wholeQuestion)) }
        var next = question
        next.kind = .create
        next.visited = [question.url]
        return discard(head, then: .ask(next))
    }

    mutating func created(_ question: Question, _ head: ResponseHead) -> [Directive] {
        guard (200..<300).contains(head.status) else {
            // 412 means that the server uses another version of tus.
            return head.status == 412 ? discard(head, then: .ask(plan.wholeQuestion)) : final(question, head)
        }
        place = UploadPlace(.tus, head, from: question.url, for: plan)
        guard place != nil else {
            return discard(
                head, then: .fail(malformed("made a place for the upload but did not say where it may go.")))
        }
        return append(head)
    }

    mutating func offsetTold(_ question: Question, _ head: ResponseHead) -> [Directive] {
        switch head.status {
        case 200..<300:
            let length = head.value("Upload-Length").flatMap { Int64($0) } ?? plan.source.size
            guard let offset = head.uploadOffset, offset <= plan.source.size, length == plan.source.size else {
                return startOver(head)
            }
            let isComplete =
                place?.resource.kind == .tus ? offset == plan.source.size : head.saysUploadIsComplete == true
            if isComplete { return final(question, head) }
            return goOn(from: offset, head)
        case 401, 407, 408, 425, 429, 500...599:
            return final(question, head)
        case 423:
            // Another request still holds the upload: an earlier connection that the server does not know to be dead.
            return discard(head, then: .fail(mayPass(head)))
        case 400..<500:
            return startOver(head)
        default:
            return discard(
                head, then: .fail(malformed("answered \(head.status) when asked how much it has.")))
        }
    }

    mutating func appended(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let isTus = place?.resource.kind == .tus
        switch head.status {
        case 200..<300 where isTus:
            guard let offset = head.uploadOffset, (0...plan.source.size).contains(offset) else {
                return askForOffset(head)
            }
            return offset == plan.source.size ? final(question, head) : goOn(from: offset, head)
        case 200..<300 where isPart && head.saysUploadIsComplete != true:
            return partTaken(head)
        case 200..<300:
            return head.saysUploadIsComplete == false ? askForOffset(head) : final(question, head)
        case 413 where !isTus && limits.maximumAppend.map { $0 < sending.count } == true:
            return askForOffset(head)
        case 409:
            return askForOffset(head)
        case 404, 410:
            return head.saysUploadIsComplete == true ? final(question, head) : startOver(head)
        case 423:
            // Another request still holds the upload: an earlier connection that the server does not know to be dead.
            return discard(head, then: .fail(mayPass(head)))
        default:
            return final(question, head)
        }
    }

    /// Sends the missing bytes from `offset` on.
    mutating func goOn(from offset: Int64, _ head: ResponseHead) -> [Directive] {
        guard let isBelievable = place?.confirm(offset) else { return startOver(head) }
        return isBelievable ? append(head) : contradicts(head)
    }

    private mutating func append(_ head: ResponseHead) -> [Directive] {
        guard let next = place?.question(.append, of: plan), let resumePoint else { return startOver(head) }
        return [.remember(resumePoint)] + discard(head, then: .ask(next))
    }

    mutating func askForOffset(_ head: ResponseHead) -> [Directive] {
        if place?.contradict() == false { return contradicts(head) }
        guard let next = place?.question(.offset, of: plan) else { return startOver(head) }
        return discard(head, then: .ask(next))
    }

    private mutating func contradicts(_ head: ResponseHead) -> [Directive] {
        discard(head, then: .fail(malformed("contradicts itself about how much of the file it has.")))
    }

    /// Starts the upload over because the server has lost it. Allowed once per attempt.
    mutating func startOver(_ head: ResponseHead) -> [Directive] {
        place = nil
        guard !hasStartedOver else {
            return discard(head, then: .fail(malformed("has forgotten the upload twice.")))
        }
        hasStartedOver = true
        return [.startOver] + discard(head, then: .ask(plan.firstQuestion))
    }
}
