// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// Publishes the verdict on a discretionary transfer without a deadline whenever the verdict changes.
actor ConditionsPublisher {
    private let alarm: any Alarm
    private let publish: @Sendable (DiscretionaryReport) async -> Void
    private var verdict: DiscretionaryVerdict
    private var conditions: Conditions?
    private var published: DiscretionaryReport?
    /// The task that evaluates the conditions again when time alone may change the verdict.
    private var timer: Task<Void, Never>?

    /// Creates a publisher that publishes nothing before the first conditions.
    ///
    /// - Parameters:
    ///   - alarm: The clocks.
    ///   - publish: Publishes a report.
    init(alarm: any Alarm, publish: @escaping @Sendable (DiscretionaryReport) async -> Void) {
        (self.alarm, self.publish) = (alarm, publish)
        verdict = DiscretionaryVerdict(policy: PatiencePolicy(), at: alarm.now())
    }

    /// Evaluates new conditions.
    func update(_ new: Conditions) async {
        conditions = new
        await evaluate()
    }

    private func evaluate() async {
        guard let conditions else { return }
        timer?.cancel()
        let now = alarm.now()
        if let next = verdict.update(conditions, at: now) {
            // Time asleep counts, because the clock of the instants counts it.
            let delay = max(now.instant.duration(to: next), .milliseconds(10))
            timer = Task { [weak self] in
                guard (try? await Task.sleep(for: delay, clock: .continuous)) != nil else { return }
                await self?.evaluate()
            }
        }
        let report = DiscretionaryReport(verdict, under: conditions)
        guard report != published else { return }
        published = report
        await publish(report)
    }
}

extension DiscretionaryReport {
    /// Creates the report of a verdict.
    init(_ verdict: DiscretionaryVerdict, under conditions: Conditions) {
        let onAC =
            switch conditions.power.value {
            case .ac: "yes"
            case .battery: "no"
            case .unknown: "unknown"
            }
        let metered =
            switch conditions.metered.value {
            case .yes, .guessYes: "yes"
            case .no, .guessNo: "no"
            case .unknown: "unknown"
            }
        self.init(
            discretionary: verdict.isPositive, reasons: verdict.reasons.map(\.reason.code), onAC: onAC,
            metered: metered, since: verdict.since.wall)
    }
}
