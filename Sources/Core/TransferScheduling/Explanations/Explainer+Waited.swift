// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

extension Explainer {
    /// Returns the time that a transfer has waited for each reason, as far back as the journal and this process go.
    ///
    /// The times are computed on demand by repeating past decisions. No counters are kept for transfers without
    /// requests. The policy's current knowledge counts as if it had been known then.
    func waited(_ entry: TransferEntry, _ journal: borrowing ConditionJournal) -> [ReasonTime] {
        let now = evaluator.now
        var times: [String: Duration] = [:]
        for (code, time) in entry.past?.byCode ?? [] where time > .zero { times[code, default: .zero] += time }
        let present = presentWaits(of: entry, at: now)
        for wait in present where wait.span.start < wait.span.end {
            times[wait.code, default: .zero] += wait.span.start.duration(to: wait.span.end)
        }
        let runs = (entry.past?.spans ?? []).filter(\.isRun).map { $0.start..<$0.end }
        let own =
            (entry.past?.spans ?? []).map { $0.start..<$0.end }
            + present.filter { $0.span.start < $0.span.end }.map { $0.span.start..<$0.span.end }
        let excludedSpans = own + (entry.isStaggered ? staggeredStart.delaySpans : [])
        var past = evaluator
        var undisturbed = entry
        undisturbed.phase = .waiting(nil)
        undisturbed.held = nil
        undisturbed.need = nil
        let submitted = now.instant(of: entry.traits.submitted)
        for number in 0..<journal.count {
            let page = journal[number]
            let end = number + 1 < journal.count ? journal[number + 1].since.instant : now.instant
            var start = max(page.since.instant, submitted)
            past.context.conditions = page.conditions
            // Within a page, only time changes the verdict, at the times that the verdicts name.
            for _ in 0..<64 where start < end {
                past.context.now = now.advanced(by: now.instant.duration(to: start))
                var next = end
                switch past.verdict(for: undisturbed) {
                case .run(_, let reevaluation):
                    if let reevaluation, reevaluation > start { next = min(next, reevaluation) }
                    // If nothing else blocked the transfer, other transfers had the slots.
                    let slotWait = Self.length(of: start..<next, without: excludedSpans)
                    times["waitingForSlot", default: .zero] += slotWait
                    times["settling", default: .zero] += Self.length(of: start..<next, without: own) - slotWait
                case .wait(let reasons, let reevaluation):
                    if let reevaluation, reevaluation > start { next = min(next, reevaluation) }
                    let waiting = Self.length(of: start..<next, without: runs)
                    for code in Set(reasons.map(\.reason.code)) { times[code, default: .zero] += waiting }
                }
                start = next
            }
        }
        return times.filter { $0.value > .zero }.sorted { $0.key < $1.key }.map {
            ReasonTime(code: $0.key, time: $0.value)
        }
    }

    /// Returns the transfer's own obstacles that block it now, with their spans.
    private func presentWaits(
        of entry: TransferEntry, at now: ClockReading
    ) -> [(code: String, span: PastWaits.Span)] {
        var waits: [(code: String, span: PastWaits.Span)] = []
        func add(_ code: String, since: ClockReading, until end: Instant) {
            waits.append((code, PastWaits.Span(start: since.instant, end: end, isRun: false)))
        }
        switch entry.phase {
        case .waiting(.backoff(_, _, let failed, let until)):
            add("backoff", since: failed, until: min(until, now.instant))
        case .waiting(.storage(_, _, let since, _)): add("storageLow", since: since, until: now.instant)
        case .paused(let since): add("suspended", since: since, until: now.instant)
        case .waiting(nil), .running, .stopping: break  // Nothing of its own holds it.
        }
        if let held = entry.held { add("held", since: held.since, until: now.instant) }
        if let need = entry.need { add("needsApp", since: need.since, until: now.instant) }
        return waits
    }

    /// Returns the length of the part of a span that lies outside all other spans. The other spans may overlap.
    private static func length(of span: Range<Instant>, without others: [Range<Instant>]) -> Duration {
        var length = Duration.zero
        var start = span.lowerBound
        for other in others.sorted(by: { $0.lowerBound < $1.lowerBound }) where start < span.upperBound {
            if start < other.lowerBound { length += start.duration(to: min(other.lowerBound, span.upperBound)) }
            start = max(start, other.upperBound)
        }
        if start < span.upperBound { length += start.duration(to: span.upperBound) }
        return length
    }
}

extension PastWaits {
    fileprivate var byCode: [(String, Duration)] {
        [
            ("backoff", backoff), ("storageLow", storage), ("suspended", suspended), ("held", held),
            ("needsApp", needsApp), ("rateLimited", rateLimited),
        ]
    }
}
