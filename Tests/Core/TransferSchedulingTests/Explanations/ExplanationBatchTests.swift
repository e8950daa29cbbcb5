// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct ExplanationBatchTests {
    private static let transfers = [
        "normal notBefore=60s", "normal notBefore=60s app=x", "normal notBefore=60s host=i", "normal power=ac",
        "normal power=50", "discretionary", "discretionary deadline=100000s", "discretionary deadline=90s",
        "normal window=3600-7200", "normal",
    ]

    /// Runs a timeline in which each kind of transfer occurs twice, and transfer 21 is equal to the fourth kind.
    private static func machine(watchesAll: Bool) -> Machine {
        let submissions = (transfers + transfers + [transfers[3]]).enumerated().map {
            "t=0s submit \($0.offset + 1) \($0.element)" + ($0.element.contains("host") ? "" : " host=h")
        }
        return Timeline.run(
            (["given power=battery"] + submissions + ["t=1s pause 21", "t=2s link wifi"]).joined(separator: "\n"),
            watchesAll: watchesAll)
    }

    @Test(
        "A batch has the explanations of the single transfers, and none for an unknown one", arguments: [true, false])
    func same(watchesAll: Bool) {
        let machine = Self.machine(watchesAll: watchesAll)
        let ids = (1...22).map { TransferID($0) }
        let batch = machine.explanations(of: ids, limit: 100)
        for (id, index) in zip(ids, batch.indices) {
            var single = machine.explanation(of: id)
            single?.waited = []
            #expect(index.map { batch.distinct[$0] } == single, "\(id)")
        }
        #expect(batch.indices.count == ids.count && batch.indices.last == .some(nil))
    }

    @Test("Transfers that differ only in their IDs share an explanation")
    func shared() {
        let batch = Self.machine(watchesAll: false).explanations(of: (1...21).map { TransferID($0) }, limit: 100)
        #expect(batch.indices[0] == batch.indices[10] && batch.indices[3] == batch.indices[13])
        #expect(batch.indices[3] != batch.indices[20])
        #expect(batch.distinct.count <= Self.transfers.count + 3)
    }

    @Test("After the limit, the remaining transfers are left out")
    func limit() {
        let batch = Self.machine(watchesAll: false).explanations(of: [1, 11, 4, 5].map { TransferID($0) }, limit: 2)
        #expect(batch.indices == [0, 0, 1])
        #expect(batch.distinct.count == 2)
    }
}
