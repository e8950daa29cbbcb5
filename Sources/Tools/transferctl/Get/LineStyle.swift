// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// A line a change, for pipes and logs. The finished file's path goes to standard output, all else to standard error.
struct LineStyle: GetStyle {
    let localTime: LocalTimeRules
    let isVerbose: Bool

    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification) {
        let name = specification.displayName
        if case .finished(let completion) = update.kind, let file = completion.file {
            Console.error("\(name): \(GetText.finished(completion))".printable)
            Console.printPath(file.path)
        } else if let text = GetText.sentence(of: update, localTime: localTime, isVerbose: isVerbose) {
            Console.error("\(name): \(text)".printable)
        }
    }

    mutating func note(_ text: String) { Console.error("transferctl: \(text)".printable) }

    mutating func end() {}
}

/// Errors only.
struct QuietStyle: GetStyle {
    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification) {
        guard update.isFailure, let text = GetText.sentence(of: update, localTime: .utc, isVerbose: false) else {
            return
        }
        Console.error("transferctl: \(specification.displayName): \(text)".printable)
    }

    mutating func note(_ text: String) { Console.error("transferctl: \(text)".printable) }

    mutating func end() {}
}

/// The words for what happens to a transfer.
enum GetText {
    /// One sentence; nil for what only a bar shows.
    static func sentence(of update: TransferUpdate, localTime: LocalTimeRules, isVerbose: Bool) -> String? {
        switch update.kind {
        case .waiting(let explanation): "waiting: \(explanation.fullSentence(localTime: localTime))"
        case .started(let attempt): attempt == 1 || isVerbose ? "started" : "continued"
        case .submitted, .changed, .paused, .resumed, .progressed: nil
        case .stopped(let explanation, let bytes):
            "paused at \(Formatting.bytes(bytes))\(explanation.holds.isEmpty ? "" : ": ")"
                + explanation.fullSentence(localTime: localTime)
        case .retrying(let explanation, let failure, _):
            "\(failure.message) — \(retry(explanation, localTime: localTime))"
        case .finished(let completion): finished(completion)
        case .failed(let failure): "failed: \(failure.message)"
        case .cancelled: "cancelled"
        }
    }

    /// When it is tried again.
    static func retry(_ explanation: Explanation, localTime: LocalTimeRules) -> String {
        for hold in explanation.holds {
            if case .backoff(let attempt, _, _) = hold.reason {
                let when = explanation.nextLook.map { " at \(localTime.dateAndTime(of: $0))" } ?? " later"
                return "attempt \(attempt + 1) follows\(when)"
            }
        }
        return explanation.fullSentence(localTime: localTime)
    }

    /// How it ended.
    static func finished(_ completion: TransferCompletion) -> String {
        if completion.answer != nil { return uploaded(completion) }
        guard let file = completion.file else {
            return "failed: the server answered \(completion.status)\(hint(completion.status))"
        }
        if completion.wasAlreadyComplete { return "already complete, \(Formatting.bytes(file.bytes)), \(file.path)" }
        if completion.status >= 400 { return "the server answered \(completion.status); its page is in \(file.path)" }
        return "finished, \(Formatting.bytes(file.bytes)), \(file.path)"
    }

    private static func uploaded(_ completion: TransferCompletion) -> String {
        let status = completion.status
        guard completion.isFailure else { return "uploaded, the server answered \(status)" }
        let hint =
            switch status {
            case 404, 410: " (there is no such place)"
            case 405: " (it does not take uploads this way; there are --method PUT and --method POST)"
            case 409: " (something stands against it, a missing folder perhaps)"
            case 413: " (the file is too large for it)"
            case 415: " (it does not take this type; give --content-type)"
            default: hint(status)
            }
        return "failed: the server answered \(status)\(hint)"
    }

    private static func hint(_ status: Int) -> String {
        switch status {
        case 200..<300: " without a file"
        case 304: " (nothing has changed), but there is no earlier file"
        case 300..<400: " and named no other place"
        case 401: " (it wants a login: give user:password@ in the URL, --netrc, or --header \"Authorization: …\")"
        case 403: " (it does not allow this)"
        case 404, 410: " (there is no such file)"
        case 407: " (the proxy wants a login: put user:password@ into --proxy)"
        default: ""
        }
    }
}
