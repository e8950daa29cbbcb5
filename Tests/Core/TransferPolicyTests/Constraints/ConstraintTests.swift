// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct ConstraintTests {
    @Test(
        "The power constraint compares the requirement with the supply",
        arguments: [
            (PowerConstraint.any, PowerSource.unknown, nil, nil), (.ac, .ac, 1, nil), (.ac, .battery, 100, "onBattery"),
            (.ac, .unknown, 100, "powerUnknown"), (.acOrBattery(above: 50), .battery, 51, nil),
            (.acOrBattery(above: 50), .battery, 50, "batteryLow"),
            (.acOrBattery(above: 50), .battery, nil, "onBattery"),
            (.acOrBattery(above: 50), .unknown, 99, "powerUnknown"), (.acOrBattery(above: 50), .ac, 0, nil),
        ] as [(PowerConstraint, PowerSource, Int?, String?)])
    func power(constraint: PowerConstraint, source: PowerSource, level: Int?, code: String?) {
        let conditions = Sample.conditions {
            $0.power.value = source
            $0.battery.value.level = level
        }
        #expect(Sample.codes(constraint.verdict(under: conditions)) == [code].compactMap { $0 })
    }

    @Test("A low battery counts from the time at which the machine switched to battery")
    func lowSince() {
        let later = Sample.now.advanced(by: .seconds(60))
        let conditions = Sample.conditions {
            $0.power = Fact(.battery, source: .upower, since: later)
            $0.battery.value.level = 3
        }
        guard case .wait(let reasons, _) = PowerConstraint.acOrBattery(above: 50).verdict(under: conditions) else {
            return #expect(Bool(false))
        }
        #expect(reasons.map(\.since) == [later])
    }

    @Test("The network constraint checks reachability and link kind", arguments: Reachability.allCases)
    func network(reachability: Reachability) {
        let conditions = Sample.conditions { $0.network.value = reachability }
        let code: String? =
            switch reachability {
            case .none: "noNetwork"
            case .portal: "captivePortal"
            case .limited, .full, .unknown: nil
            }
        #expect(Sample.codes(LinkKindConstraint.any.verdict(under: conditions)) == [code].compactMap { $0 })
        #expect(reachability.isUsable == (code == nil))
        let other = LinkKindConstraint.only(LinkKinds(.wifi)).verdict(under: conditions)
        #expect(Sample.codes(other) == [code ?? "networkKind"])
    }

    @Test("Each link kind has its own bit", arguments: LinkKind.allCases)
    func kinds(kind: LinkKind) {
        #expect(LinkKinds(kind).kinds == [kind])
        let all = LinkKinds(LinkKind.allCases.map { LinkKinds($0) })
        #expect(all.kinds == LinkKind.allCases)
        #expect(all.subtracting(LinkKinds(kind)).kinds.count == LinkKind.allCases.count - 1)
    }

    @Test(
        "The metered constraint uses the reported price and the link kind",
        arguments: Metered.allCases, LinkKind.allCases)
    func price(metered: Metered, kind: LinkKind) {
        let conditions = Sample.conditions {
            $0.metered.value = metered
            $0.linkKind.value = kind
        }
        let expected: Bool? =
            switch metered {
            case .yes: false
            case .guessYes: true
            case .no, .guessNo: nil
            case .unknown: kind == .ethernet || kind == .wifi ? nil : true
            }
        #expect(UnknownMeteredRule().isMetered(conditions) == expected)
        let verdict = MeteredConstraint.unmetered.verdict(under: conditions, treatingUnknownAs: UnknownMeteredRule())
        #expect(Sample.codes(verdict) == (expected == nil ? [] : ["metered"]))
        let strict = UnknownMeteredRule(unmeteredKinds: [])
        #expect(metered != .unknown || strict.isMetered(conditions) == true)
        for constraint in [MeteredConstraint.allowed, .unstated] {
            #expect(Sample.codes(constraint.verdict(under: conditions, treatingUnknownAs: strict)).isEmpty)
        }
    }

    @Test("A transfer does not start before its date, to the nanosecond")
    func notBefore() {
        let constraint = NotBeforeConstraint(Sample.monday.advanced(by: .seconds(5)))
        let early = constraint.verdict(at: Sample.now, submitted: Sample.monday)
        #expect(Sample.codes(early) == ["notBefore"])
        #expect(Sample.reevaluateAt(early) == .seconds(5))
        let almost = Sample.now.advanced(by: .nanoseconds(4_999_999_999))
        #expect(Sample.codes(constraint.verdict(at: almost, submitted: Sample.monday)) == ["notBefore"])
        let then = Sample.now.advanced(by: .seconds(5))
        #expect(Sample.codes(constraint.verdict(at: then, submitted: Sample.monday)).isEmpty)
    }

    @Test(
        "The elapsed share of the time and the date of a share agree",
        arguments: [0.0, 0.1, 0.25, 0.5, 0.75, 1.0 / 3, 0.999, 1], [1, 3, 1000, 1_000_000_007, Int64.max / 4])
    func deadline(share: Double, span: Int64) {
        let deadline = DeadlineConstraint(Sample.monday.advanced(by: .nanoseconds(span)))
        let date = deadline.date(atShare: share, submitted: Sample.monday, notBefore: nil)
        #expect(deadline.elapsedShare(at: date, submitted: Sample.monday, notBefore: nil) >= share - 1e-12)
        #expect(date <= deadline.date && date >= Sample.monday)
    }

    @Test("A deadline before the start counts as passed")
    func deadlineBeforeStart() {
        let deadline = DeadlineConstraint(Sample.monday)
        let later = Sample.monday.advanced(by: .seconds(10))
        #expect(deadline.elapsedShare(at: Sample.monday, submitted: Sample.monday, notBefore: later) == 1)
        #expect(deadline.date(atShare: 0.5, submitted: Sample.monday, notBefore: later) == later)
        #expect(
            deadline.elapsedShare(at: .init(nanosecondsSinceEpoch: .min), submitted: Sample.monday, notBefore: nil) == 1
        )
    }
}
