// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension PowerConstraint {
    /// Returns permission to run if the power supply satisfies the constraint; otherwise, the wait reason.
    ///
    /// Unknown power satisfies only `.any`.
    public func verdict(under conditions: Conditions) -> Verdict {
        if let facts = facts(under: conditions) { return .run(relyingOn: facts, reevaluateAt: nil) }
        guard conditions.power.value == .battery else {
            return .wait([WaitReason(.powerUnknown, from: conditions.power)], reevaluateAt: nil)
        }
        guard case .acOrBattery(let needed) = self, let level = conditions.battery.value.level else {
            let level = conditions.battery.value.level
            return .wait([WaitReason(.onBattery(level: level), from: conditions.power)], reevaluateAt: nil)
        }
        // A low level matters only from the moment the machine runs on battery, even if the level is older.
        let since = [conditions.power.since, conditions.battery.since].max { $0.instant < $1.instant }
        var wait = WaitReason(.batteryLow(level: level, needed: needed), from: conditions.battery)
        wait.since = since ?? wait.since
        return .wait([wait], reevaluateAt: nil)
    }

    /// Returns the facts that permission to run depends on, or `nil` if the power supply is insufficient.
    func facts(under conditions: borrowing Conditions) -> RelevantFacts? {
        switch (self, conditions.power.value) {
        case (.any, _): []
        case (.ac, .ac), (.acOrBattery, .ac): .power
        case (.acOrBattery(let above), .battery):
            conditions.battery.value.level.map { $0 > above } == true ? .power : nil
        case (.ac, .battery), (.ac, .unknown), (.acOrBattery, .unknown): nil
        }
    }
}
