// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Policies of other systems") struct PublishedPolicyTests {
    private func word(_ policy: any Policy, _ subject: PolicySubject, _ context: PolicyContext) -> String {
        Sample.words(policy.verdict(for: subject, in: context))
    }

    @Test("android: three preferences until half of the time, two until 60 %, one until 70 %")
    func android() {
        // A hundred hours, so that the last 15 minutes are later than all of these times.
        let subject = Sample.subject(deadline: 360_000)
        func words(_ power: PowerSource, _ metered: Metered, level: Int = 80) -> [String] {
            [0.0, 179_999, 180_000, 216_000, 252_000].map { second in
                let context = Sample.context(power, metered, at: second) { $0.conditions.battery.value.level = level }
                return Sample.codes(AndroidPolicy().verdict(for: subject, in: context)).first ?? "run"
            }
        }
        #expect(words(.ac, .no) == ["run", "run", "run", "run", "run"])
        #expect(words(.ac, .yes) == ["metered", "metered", "run", "run", "run"])
        #expect(words(.battery, .no) == ["onBattery", "onBattery", "run", "run", "run"])
        #expect(words(.battery, .yes) == ["onBattery", "onBattery", "onBattery", "run", "run"])
        #expect(words(.battery, .no, level: 15) == ["onBattery", "onBattery", "onBattery", "run", "run"])
        #expect(words(.battery, .yes, level: 15) == ["onBattery", "onBattery", "onBattery", "onBattery", "run"])
    }

    @Test("android: no preferences 15 minutes before the deadline; the default deadline is 72 hours")
    func androidDates() {
        let short = Sample.subject(deadline: 1800)
        #expect(word(AndroidPolicy(), short, Sample.context(.battery, .yes, at: 899)) == "onBattery,metered @900.0")
        #expect(word(AndroidPolicy(), short, Sample.context(.battery, .yes, at: 900)) == "run")
        let endless = Sample.subject()
        #expect(word(AndroidPolicy(), endless, Sample.context(.battery, at: 129_599)) == "onBattery @129600.0")
        #expect(word(AndroidPolicy(), endless, Sample.context(.battery, at: 129_600)) == "run @155520.0")
    }

    @Test("bits: any network except roaming ones, or only free ones, on any power source")
    func bits() {
        let subject = Sample.subject()
        #expect(word(BitsPolicy(), subject, Sample.context(.battery, .yes)) == "run")
        let abroad = Sample.context(.ac, .yes) { $0.conditions.roaming.value = .yes }
        #expect(word(BitsPolicy(), subject, abroad) == "connectionDenied")
        #expect(word(BitsPolicy(isUnrestricted: true), subject, Sample.context(.battery, .yes)) == "metered")
        #expect(word(BitsPolicy(isUnrestricted: true), subject, Sample.context(.battery)) == "run")
    }

    @Test("mogwai: any unmetered network; a guess counts")
    func mogwai() {
        #expect(word(MogwaiPolicy(), Sample.subject(), Sample.context(.battery)) == "run")
        #expect(word(MogwaiPolicy(), Sample.subject(), Sample.context(.ac, .guessYes)) == "metered")
    }

    @Test("apple: AC power, and Wi-Fi or Ethernet, regardless of price and deadline")
    func apple() {
        let subject = Sample.subject(deadline: 10)
        #expect(word(ApplePolicy(), subject, Sample.context(.ac, .yes, at: 20)) == "run")
        #expect(word(ApplePolicy(), subject, Sample.context(.battery, at: 20)) == "onBattery")
        let phone = Sample.context(.ac) { $0.conditions.linkKind.value = .cellular }
        #expect(word(ApplePolicy(), subject, phone) == "networkKind")
    }
}
