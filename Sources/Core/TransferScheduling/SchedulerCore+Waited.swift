// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension SchedulerCore where Queue: ~Copyable {
    /// How long a transfer has waited under each reason, as far back as the journal and this process go.
    ///
    /// Worked out when asked for, by asking again what was decided then: nothing is counted for a million transfers that
    /// nobody asks about. What the policy has learned since counts as if it had been known.
    func waited(_ entry: TransferEntry, _ looking: Assessment) -> [ReasonTime] {
        let now = looking.now
        var times: [String: Duration] = [:]
        for (code, time) in entry.past?.byCode ?? [] where time > .zero { times[code, default: .zero] += time }
        addPresentWaits(of: entry, at: now, to: &times)
        var past = looking
        var undisturbed = entry
        undisturbed.phase = .waiting(nil)
        undisturbed.held = nil
        undisturbed.need = nil
        let submitted = now.instant(of: entry.traits.submitted)
        var free = Duration.zero
        for number in 0..<journal.count {
            let page = journal[number]
            let end = number + 1 < journal.count ? journal[number + 1].since.instant : now.instant
            var start = max(page.since.instant, submitted)
            past.context.conditions = page.conditions
            // Within a page time alone changes the answer: at the moments that the answers themselves name.
            for _ in 0..<64 where start < end {
                past.context.now = now.advanced(by: now.instant.duration(to: start))
                var next = end
                switch past.verdict(for: undisturbed) {
                case .run(_, let look):
                    if let look, look > start { next = min(next, look) }
                    free += start.duration(to: next)
                case .hold(let holds, let look):
                    if let look, look > start { next = min(next, look) }
                    for code in Set(holds.map(\.reason.code)) {
                        times[code, default: .zero] += start.duration(to: next)
                    }
                }
                start = next
            }
        }
        // When nothing else held it and it did not run, others had the slots.
        let own = (entry.past?.total ?? .zero) + presentWait(of: entry, at: now)
        if free > own { times["waitingForSlot", default: .zero] += free - own }
        return times.sorted { $0.key < $1.key }.map { ReasonTime(code: $0.key, time: $0.value) }
    }

    private func addPresentWaits(of entry: TransferEntry, at now: Moment, to times: inout [String: Duration]) {
        func add(_ code: String, since: Moment) {
            let time = since.instant.duration(to: now.instant)
            if time > .zero { times[code, default: .zero] += time }
        }
        switch entry.phase {
        case .waiting(.backoff(_, _, let failed, let until)):
            let time = failed.instant.duration(to: min(until, now.instant))
            if time > .zero { times["backoff", default: .zero] += time }
        case .waiting(.storage(_, _, let since, _)): add("storageLow", since: since)
        case .paused(let since): add("suspended", since: since)
        case .waiting(nil), .running, .stopping: break  // Nothing of its own holds it.
        }
        if let held = entry.held { add("held", since: held.since) }
        if let need = entry.need { add("needsApp", since: need.since) }
    }

    /// How long what holds it now has been doing so, as far as that is its own.
    private func presentWait(of entry: TransferEntry, at now: Moment) -> Duration {
        var times: [String: Duration] = [:]
        addPresentWaits(of: entry, at: now, to: &times)
        return times.values.max() ?? .zero
    }
}

extension PastWaits {
    fileprivate var byCode: [(String, Duration)] {
        [
            ("backoff", backoff), ("storageLow", storage), ("suspended", suspended), ("held", held),
            ("needsApp", needsApp), ("rateLimited", rateLimited),
        ]
    }

    /// All of it, attempts included.
    fileprivate var total: Duration { backoff + storage + suspended + held + needsApp + rateLimited + ran }
}
