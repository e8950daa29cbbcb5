// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Estimates of the time that transfers need")
struct TransferEstimateTests {
    @Test("The time to reserve is bytes and backlog over the rate, times 1.5")
    func duration() {
        let estimate = TransferEstimate(
            bytes: 3000, sizeBasis: .reported, rate: 100, rateBasis: .connection, backlog: 1000)
        #expect(estimate.need == .seconds(40))
        #expect(estimate.duration == .seconds(60))
        #expect(estimate.latestStart(before: Sample.monday) == Sample.monday.advanced(by: .seconds(-60)))
        #expect(estimate.confidence == .reported)
    }

    @Test("The backlog has a rate of its own")
    func backlogRate() {
        let estimate = TransferEstimate(
            bytes: 3000, sizeBasis: .reported, rate: 100, rateBasis: .limit, backlog: 1000, backlogRate: 1000)
        #expect(estimate.need == .seconds(31))
    }

    @Test("An assumed size or rate makes the estimate an assumption")
    func confidence() {
        let size = TransferEstimate(bytes: 1, sizeBasis: .assumed, rate: 1, rateBasis: .connection)
        let rate = TransferEstimate(bytes: 1, sizeBasis: .expected, rate: 1, rateBasis: .assumed)
        #expect([size, rate].map(\.confidence) == [.assumed, .assumed])
    }

    @Test("Values out of range neither trap nor yield a negative time", arguments: [Int64.min, -1, 0, 1, .max])
    func wrongValues(value: Int64) {
        let estimate = TransferEstimate(
            bytes: value, sizeBasis: .assumed, rate: value, rateBasis: .assumed, backlog: value)
        #expect(estimate.need >= .zero && estimate.duration >= estimate.need)
    }
}
