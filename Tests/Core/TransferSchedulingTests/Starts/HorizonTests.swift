// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// The policy `horizon` in the scheduler: the phases of waiting transfers follow the history of the machine.
@Suite struct HorizonTests {
    @Test("A waiting transfer starts on battery 42 h before its deadline, less its need, without any other event")
    func start() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary deadline=360000s size=62500000
            expect 1 waits onBattery
            expect 1 starts at 208650s
            """, policy: HorizonPolicy())
    }

    @Test("When a longer time away ends, waiting transfers start earlier, according to the new horizon")
    func growth() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary deadline=720000s size=62500000
            t=1000s metered yes
            t=109000s metered no
            expect 1 starts at 503850s
            """, policy: HorizonPolicy())
    }

    @Test("The explanation names the date, and the longest time without Wi-Fi")
    func sentence() {
        let machine = Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary deadline=720000s
            t=1000s metered yes
            t=112600s metered no
            """, policy: HorizonPolicy())
        let sentence = machine.explanation(of: TransferID(1))?.fullSentence(localTime: .utc) ?? ""
        #expect(
            sentence.hasSuffix(
                "battery will do: this machine can be without Wi-Fi for up to 31 h"), "\(sentence)")
        #expect(sentence.contains("; waits for AC until "), "\(sentence)")
    }
}

/// The patience of single transfers under the default policy.
@Suite struct PatienceOfTransfersTests {
    @Test("Transfers of different patience start at different times; a change applies at once")
    func starts() {
        Timeline.run(
            """
            given power=battery battery=30
            t=0s submit 1 discretionary deadline=200000s host=a size=62500000
            t=0s submit 2 discretionary deadline=200000s host=b size=62500000 patience=prompt
            t=0s submit 3 discretionary deadline=200000s host=c size=62500000
            t=0s submit 4 discretionary deadline=200000s host=d size=62500000 patience=relaxed
            expect 3 waits onBattery
            expect 2 starts at 48200s
            t=60000s change 3 discretionary deadline=200000s host=c size=62500000 patience=prompt
            expect 3 starts at 60000s
            expect 1 starts at 100000s
            expect 4 starts at 198500s
            """, policy: PatiencePolicy())
    }
}
