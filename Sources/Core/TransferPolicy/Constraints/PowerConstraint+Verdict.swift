// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension PowerConstraint {
    /// Returns whether the power supply satisfies the constraint.
    ///
    /// Unknown power satisfies only `.any`.
    public func verdict(under conditions: Conditions) -> Verdict {
        if let facts = facts(under: conditions) { return .run(relyingOn: facts, lookAgain: nil) }
        guard conditions.power.value == .battery else {
            return .hold([Hold(.powerUnknown, from: conditions.power)], lookAgain: nil)
        }
        guard case .acOrBattery(let needed) = self, let level = conditions.battery.value.level else {
            let level = conditions.battery.value.level
            return .hold([Hold(.onBattery(level: level), from: conditions.power)], lookAgain: nil)
        }
        // A low level matters only from the moment the machine runs on battery, even if the level is older.
        let since = [conditions.power.since, conditions.battery.since].max { $0.instant < $1.instant }
        var hold = Hold(.batteryLow(level: level, needed: needed), from: conditions.battery)
        hold.since = since ?? hold.since
        return .hold([hold], lookAgain: nil)
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
