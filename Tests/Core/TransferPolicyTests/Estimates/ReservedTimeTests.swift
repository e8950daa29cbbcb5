// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Time that policies reserve before a deadline")
struct ReservedTimeTests {
    private func estimated(_ estimate: TransferEstimate, isRunning: Bool = false) -> PolicySubject {
        Sample.subject(deadline: 10_000, isRunning: isRunning) { $0.estimate = estimate }
    }

    @Test("A policy without a floor starts on battery when the estimate, times 1.5, is left")
    func latestStart() {
        // 400 s of bytes and 200 s of backlog at 1 MB/s, times 1.5.
        let subject = estimated(
            TransferEstimate(
                bytes: 400_000_000, sizeBasis: .expected, rate: 1_000_000, rateBasis: .connection, backlog: 200_000_000)
        )
        func words(at seconds: Double) -> String {
            Sample.words(
                HorizonPolicy(floor: .zero).verdict(
                    for: subject,
                    in: Sample.context(.battery, at: seconds)))
        }
        #expect(words(at: 9099) == "onBattery @9100.0")
        #expect(words(at: 9100) == "run")
    }

    @Test("A transfer that started in its last chance stays in it when a better rate is measured")
    func staysInLastChance() {
        var subject = estimated(
            TransferEstimate(bytes: 1_000_000, sizeBasis: .reported, rate: 10_000_000, rateBasis: .transfer),
            isRunning: true)
        subject.start = PolicySubject.Start(
            date: Sample.monday.advanced(by: .seconds(9100)), bytesDone: 0, rate: nil, need: .seconds(600))
        let context = Sample.context(.battery, at: 9200)
        #expect(Sample.words(HorizonPolicy(floor: .zero).verdict(for: subject, in: context)) == "run")
        subject.start?.need = .seconds(10)
        #expect(Sample.codes(HorizonPolicy(floor: .zero).verdict(for: subject, in: context)) == ["onBattery"])
    }
}
