// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import transferd

@Suite("How much progress sessions hear of")
struct ProgressGateTests {
    private let start = ContinuousClock.now
    private static let moment = Moment(
        instant: Instant(nanoseconds: 0), wall: WallTime(secondsSinceEpoch: 0))

    private func progress(_ bytes: Int64, of id: Int64 = 1) -> TransferUpdate {
        TransferUpdate(id: TransferID(id), time: Self.moment, kind: .progressed(bytes: bytes, total: nil, rate: nil))
    }

    @Test("Of each transfer four times a second, whatever the others do")
    func seldom() {
        var gate = ProgressGate()
        var told = 0
        for millisecond in 0..<1000 {
            for id in 1...2 {
                let now = start + .milliseconds(millisecond)
                told += gate.take(progress(Int64(millisecond), of: Int64(id)), at: now) { _, _ in }.count
            }
        }
        #expect(told == 8)
    }

    @Test("What was held back is told before anything else of its transfer")
    func held() {
        var gate = ProgressGate()
        #expect(gate.take(progress(1), at: start, holding: { _, _ in }) == [progress(1)])
        #expect(gate.take(progress(2), at: start, holding: { _, _ in }) == [])
        #expect(gate.take(progress(3), at: start, holding: { _, _ in }) == [])
        let end = TransferUpdate(id: TransferID(1), time: Self.moment, kind: .cancelled)
        let other = TransferUpdate(id: TransferID(2), time: Self.moment, kind: .cancelled)
        #expect(gate.take(other, at: start, holding: { _, _ in }) == [other])
        #expect(gate.take(end, at: start, holding: { _, _ in }) == [progress(3), end])
        #expect(gate.take(progress(4), at: start, holding: { _, _ in }) == [progress(4)])
    }

    @Test("What is held back is told in time where nothing more comes, once")
    func released() {
        var gate = ProgressGate()
        var holding: [Duration] = []
        func take(_ bytes: Int64, after milliseconds: Int) -> [TransferUpdate] {
            gate.take(progress(bytes), at: start + .milliseconds(milliseconds)) { holding.append($1) }
        }
        #expect(take(1, after: 0) == [progress(1)])
        #expect(take(2, after: 100) == [])
        #expect(take(3, after: 150) == [])
        #expect(holding == [.milliseconds(150)])
        #expect(gate.release(TransferID(1), at: start + .milliseconds(250)) == progress(3))
        #expect(gate.release(TransferID(1), at: start + .milliseconds(250)) == nil)
        // From then on the time runs anew.
        #expect(take(4, after: 300) == [])
        #expect(holding == [.milliseconds(150), .milliseconds(200)])
        #expect(gate.release(TransferID(2), at: start) == nil)
    }
}
