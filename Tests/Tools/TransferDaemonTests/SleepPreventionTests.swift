// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel

@testable import TransferDaemon

@Suite struct SleepPreventionTests {
    private static let now = WallTime(secondsSinceEpoch: 1_795_392_000)

    private static func status(_ id: Int64, _ state: TransferStatus.State) -> TransferStatus {
        TransferStatus(
            id: TransferID(id), url: "http://h/", name: "f", app: "person", isUpload: false, kind: .normal,
            priority: 500,
            state: state, submitted: now)
    }

    @Test("Sleep is prevented only while a transfer runs on AC power, if the user wants that")
    func conditions() {
        let orders = Mutex<[(@Sendable (Bool) -> Void)?]>([])
        let prevention = SleepPrevention { report in orders.withLock { $0.append(report) } }
        func given() -> [Bool] { orders.withLock { $0.map { $0 != nil } } }
        prevention.follow(.ac, at: Self.now)
        prevention.follow(Self.status(1, .running), at: Self.now)
        #expect(given() == [] && prevention.report == nil, "off by default")
        prevention.enable(true, at: Self.now)
        #expect(given() == [true] && prevention.report?.value == "while transfers run")
        prevention.follow(Self.status(2, .running), at: Self.now)
        prevention.follow(Self.status(1, .finished), at: Self.now)
        #expect(given() == [true])
        prevention.follow(.battery, at: Self.now)
        #expect(given() == [true, false] && prevention.report?.value == "not on AC power")
        prevention.follow(.ac, at: Self.now)
        orders.withLock { $0.last }??(false)
        #expect(given() == [true, false, true] && prevention.report?.value == "not granted by logind")
        orders.withLock { $0.last }??(true)
        #expect(prevention.report?.value == "while transfers run")
        prevention.follow(Self.status(2, .waiting), at: Self.now.advanced(by: .seconds(5)))
        #expect(given().last == false && prevention.report?.value == "no transfer runs")
        #expect(prevention.report?.since == Self.now.advanced(by: .seconds(5)))
        prevention.follow(.unknown, at: Self.now)
        prevention.follow(Self.status(2, .running), at: Self.now)
        prevention.enable(false, at: Self.now)
        #expect(given().last == false && prevention.report == nil)
    }
}
