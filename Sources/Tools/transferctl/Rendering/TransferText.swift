// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel
import TransferScheduling

/// Sentences for the events of a transfer.
enum TransferText {
    /// Returns a sentence for an event, or `nil` if only a bar shows the event.
    ///
    /// - Parameter attempts: The number of attempts without progress after which the transfer fails, or `nil` if it is
    ///   not limited.
    static func sentence(
        of status: TransferStatus, _ event: TransferEvent, localTime: LocalTimeRules, isVerbose: Bool = false,
        pace: TransferPace? = nil, showsPath: Bool = true, attempts: Int? = nil
    ) -> String? {
        switch event.kind {
        case .waiting(let explanation): return "waiting: \(explanation.sentence)"
        case .deadline(_, let sentence): return sentence
        case .started: return status.attempt == 1 || isVerbose ? "started" : "continued"
        case .progressed: return nil
        case .restarted(let cause): return cause.sentence
        case .stopped(let explanation):
            return "paused at \(Formatting.bytes(status.bytes))\(explanation.reasons.isEmpty ? "" : ": ")"
                + explanation.sentence
        case .retrying(let explanation):
            let error = status.error ?? ""
            return (error.hasSuffix(".") ? String(error.dropLast()) : error)
                + "; \(retry(explanation, at: event.time, localTime: localTime, attempts))"
        case .ended(let completion?): return finished(completion, pace: pace, showsPath: showsPath)
        case .ended(nil): return status.state == .cancelled ? "canceled" : "failed: \(status.error ?? "")"
        }
    }

    /// Returns a sentence for the time of the next attempt.
    private static func retry(
        _ explanation: WaitExplanation, at now: WallTime, localTime: LocalTimeRules, _ attempts: Int?
    ) -> String {
        guard let reason = explanation.reasons.first(where: { $0.code == "backoff" }),
            case .number(let attempt)?? = reason.details["attempt"]
        else { return explanation.reasons.isEmpty ? "trying the next mirror" : explanation.sentence }
        let limit = attempts.map { "\(attempt + 1) of \($0)" } ?? "attempt \(attempt + 1)"
        return
            "retrying\(explanation.until.map { time(of: $0, from: now, localTime: localTime) } ?? " later") (\(limit))"
    }

    /// Returns a time as a span if it is near, and as a date otherwise.
    private static func time(of date: WallTime, from now: WallTime, localTime: LocalTimeRules) -> String {
        let seconds = max(1, (date.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch + 500_000_000) / 1_000_000_000)
        return seconds < 7200
            ? " in \(Duration.seconds(seconds).inWords)" : " at \(localTime.dateAndTime(of: date))"
    }

    /// Returns a sentence for the end of a transfer.
    ///
    /// - Parameters:
    ///   - completion: The end.
    ///   - pace: The elapsed time and the average rate, if they are known.
    ///   - showsPath: Whether the path of a finished file is a part of the sentence.
    static func finished(
        _ completion: TransferCompletion, pace: TransferPace? = nil, showsPath: Bool = true
    ) -> String {
        if completion.answer != nil { return uploaded(completion) + (completion.isFailure ? "" : pace?.text ?? "") }
        guard let file = completion.file else {
            return "failed: the server answered \(completion.status)\(hint(completion.status))"
        }
        if completion.wasAlreadyComplete { return "already complete, \(Formatting.bytes(file.bytes)), \(file.path)" }
        if completion.status >= 400 {
            return "the server answered \(completion.status); the response is in \(file.path)"
        }
        return "finished, \(Formatting.bytes(file.bytes))\(pace?.text ?? "")" + (showsPath ? ", \(file.path)" : "")
    }

    private static func uploaded(_ completion: TransferCompletion) -> String {
        let status = completion.status
        guard completion.isFailure else { return "uploaded, the server answered \(status)" }
        let hint =
            switch status {
            case 404, 410: " (not found)"
            case 405: " (this upload method is not allowed; try --method PUT or --method POST)"
            case 409: " (conflict; the folder may be missing)"
            case 413: " (the file is too large for the server)"
            case 415: " (the server does not accept this type; set --content-type)"
            default: hint(status)
            }
        return "failed: the server answered \(status)\(hint)"
    }

    private static func hint(_ status: Int) -> String {
        switch status {
        case 200..<300: " without a file"
        case 304: " (not modified), but no earlier file exists"
        case 300..<400: " without a redirect location"
        case 401: " (login required; use --user, --netrc, or --header \"Authorization: …\")"
        case 403: " (access denied)"
        case 404, 410: " (file not found)"
        case 407: " (proxy login required; use user:password@ in --proxy)"
        default: ""
        }
    }
}

/// The progress and rate of a transfer, in the form that all commands use.
extension TransferStatus {
    /// The completed share, such as `42 %`. `nil` if the size is unknown.
    var share: String? { total.flatMap { $0 > 0 ? "\(min(100, bytes * 100 / $0)) %" : nil } }

    /// The rate, such as `1.50 MB/s`. `nil` if unknown.
    var speed: String? { rate.map { "\(Formatting.bytes($0))/s" } }

    /// The rate, and the time left if the size is known. Empty if no bytes arrive.
    var pace: [String] {
        guard let rate, rate > 0, let speed else { return [] }
        return [speed] + (total.map { ["ETA \(Formatting.span(max(0, $0 - bytes) / rate))"] } ?? [])
    }

    /// Returns the share, the bytes, the rate, and the time left, as far as they fit. The bytes are left out first, then
    /// the rate.
    func numbers(withBytes showsBytes: Bool, width: Int) -> String {
        let share = share ?? Formatting.bytes(bytes)
        let size = total.map { ["\(Formatting.bytes(bytes))/\(Formatting.bytes($0))"] } ?? []
        let choices = (showsBytes ? [[share] + size + pace] : []) + [[share] + pace, [share] + pace.suffix(1)]
        return choices.map { $0.joined(separator: "  ") }.first { Formatting.columns($0) <= width } ?? share
    }
}
