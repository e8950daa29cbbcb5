// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §4: The order of the starts.
@Suite struct OrderTests {
    private static func oneSlot(agingInterval: Int = 16) -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        configuration.agingInterval = agingInterval
        return configuration
    }

    /// Returns lines that end one attempt after another, one second apart.
    private static func finish(_ ids: [Int], from second: Int = 2) -> String {
        ids.enumerated().map { "t=\(second + $0.offset)s finish \($0.element)" }.joined(separator: "\n")
    }

    @Test("An app with a hundred queued does not keep one with two waiting (§4)")
    func fairTurns() {
        let queued = (1...100).map { "t=0s submit \($0) normal app=a" }.joined(separator: "\n")
        Timeline.run(
            """
            given network=none
            \(queued)
            t=0s submit 101 normal app=b
            t=0s submit 102 normal app=b
            t=1s network full
            \(Self.finish([1, 101, 2, 102, 3]))
            expect order 1,101,2,102,3,4
            """, configuration: Self.oneSlot())
    }

    @Test("Three apps take turns by the time of their last start")
    func threeApps() {
        Timeline.run(
            """
            t=0s submit 1 normal app=c
            t=0s submit 2 normal app=a
            t=0s submit 3 normal app=a
            t=0s submit 4 normal app=b
            t=0s submit 5 normal app=b
            t=0s submit 6 normal app=c
            \(Self.finish([1, 2, 4, 6, 3]))
            expect order 1,2,4,6,3,5
            """, configuration: Self.oneSlot())
    }

    @Test("An app's turn is kept while its queue is empty")
    func turnsAreRemembered() {
        Timeline.run(
            """
            t=0s submit 1 normal app=a
            t=1s finish 1
            t=2s network none
            t=2s submit 2 normal app=a
            t=2s submit 3 normal app=b
            t=3s network full
            expect 3 starts at 3s
            """, configuration: Self.oneSlot())
    }

    @Test("The nearer deadline goes before the app's turn, and the turn decides between equal deadlines")
    func deadlineBeforeTurn() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal app=a deadline=2000s
            t=0s submit 2 normal app=a deadline=1000s
            t=0s submit 3 normal app=a deadline=1000s
            t=0s submit 4 normal app=b deadline=1000s
            t=0s submit 5 normal app=b deadline=3000s
            t=1s network full
            \(Self.finish([2, 4, 3, 1]))
            expect order 2,4,3,1,5
            """, configuration: Self.oneSlot())
    }

    /// Transfer 1 is past its deadline when the slot becomes free, and transfer 4 has no deadline.
    private static let lateOne = """
        t=0s submit 9 normal app=z
        t=0s submit 1 normal app=a deadline=50s
        t=0s submit 2 normal app=b deadline=2000s
        t=0s submit 3 normal app=a deadline=1000s
        t=0s submit 4 normal app=a
        \(finish([9, 3, 2, 1], from: 60))
        """

    @Test("A transfer past its deadline goes behind those that can still be on time, and before those without (§4)")
    func lateLast() {
        Timeline.run(Self.lateOne + "\nexpect order 9,3,2,1,4", configuration: Self.oneSlot())
    }

    @Test("Late transfers keep the order of their deadlines, and the moment of a deadline is past (§4)")
    func lateAmongLate() {
        Timeline.run(
            """
            t=0s submit 9 normal app=z
            t=0s submit 1 normal app=a deadline=60s
            t=0s submit 2 normal app=b deadline=59s
            t=0s submit 3 normal app=a deadline=60.000000001s
            t=0s submit 4 normal app=a deadline=58s
            \(Self.finish([9, 3, 4, 2], from: 60))
            expect order 9,3,4,2,1
            """, configuration: Self.oneSlot())
    }

    @Test("With the option, the earliest deadline goes first even if it has passed")
    func earliestDeadlineFirst() {
        var configuration = Self.oneSlot()
        configuration.startsLateTransfersLast = false
        let order = Self.lateOne.replacing("finish 3", with: "finish 1").replacing(
            "t=62s finish 2", with: "t=62s finish 3"
        )
        .replacing("t=63s finish 1", with: "t=63s finish 2")
        Timeline.run(order + "\nexpect order 9,1,3,2,4", configuration: configuration)
    }

    @Test("A deadline goes before none, priority before a deadline, user-initiated before priority")
    func levels() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 2 discretionary deadline=9000s
            t=0s submit 3 normal priority=501
            t=0s submit 4 userInitiated priority=0
            t=0s submit 5 discretionary priority=1000
            t=1s network full
            t=100s finish 4
            t=101s finish 5
            t=102s finish 3
            t=103s finish 2
            expect order 4,5,3,2,1
            """, configuration: Self.oneSlot())
    }

    @Test("After three starts that bypass it, lower-ranking work gets one start (§4)")
    func ageing() {
        let urgent = (2...9).map { "t=0s submit \($0) userInitiated" }.joined(separator: "\n")
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 10 normal
            \(urgent)
            t=1s network full
            \(Self.finish([2, 3, 4, 1, 5, 6, 7, 10, 8]))
            expect order 2,3,4,1,5,6,7,10,8,9
            """, configuration: Self.oneSlot(agingInterval: 3))
    }

    @Test("Of several bypassed levels, the most often bypassed goes first, then the higher one")
    func ageingAmongLevels() {
        let urgent = (1...7).map { "t=0s submit \($0) userInitiated" }.joined(separator: "\n")
        Timeline.run(
            """
            given network=none
            \(urgent)
            t=0s submit 20 normal priority=100
            t=0s submit 10 normal priority=900
            t=0s submit 11 normal priority=900
            t=0s submit 21 normal priority=100
            t=1s network full
            \(Self.finish([1, 2, 3, 10, 20, 4, 5, 6, 11, 21]))
            expect order 1,2,3,10,20,4,5,6,11,21,7
            """, configuration: Self.oneSlot(agingInterval: 3))
    }

    @Test("Only starts that a transfer could have had itself count as bypassing it")
    func ageingCountsStartable() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal links=wifi
            t=0s submit 2 userInitiated
            t=0s submit 3 userInitiated
            t=0s submit 4 userInitiated
            t=0s submit 5 userInitiated
            t=0s submit 6 userInitiated
            t=0s submit 7 userInitiated
            t=1s network full
            t=2s finish 2
            t=3s finish 3
            t=4s link wifi
            \(Self.finish([4, 5, 6, 1], from: 5))
            expect order 2,3,4,5,6,1,7
            """, configuration: Self.oneSlot(agingInterval: 2))
    }

    @Test("An interval below one counts as one: every other start goes to lower work")
    func shortestInterval() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 userInitiated
            t=0s submit 4 userInitiated
            t=1s network full
            \(Self.finish([3, 1, 4]))
            expect order 3,1,4,2
            """, configuration: Self.oneSlot(agingInterval: 0))
    }

    @Test("Eligible work eventually starts despite a stream of urgent work")
    func nothingWaitsForEver() {
        let machine = Machine(configuration: Self.oneSlot())
        func submit(_ id: Int64, _ kind: WorkKind) {
            machine.apply(
                .submitted(TransferID(id), TransferTraits(kind: kind, host: "h", submitted: machine.now.wall)))
        }
        submit(1000, .userInitiated)
        submit(1, .discretionary)
        var starts = 0
        while !machine.occupiesSlot(TransferID(1)), starts < 100 {
            submit(Int64(1001 + starts), .userInitiated)
            guard let running = machine.attempts.keys.first else { break }
            _ = machine.endAttempt(running)
            machine.apply(.finished(running))
            starts += 1
        }
        // Sixteen transfers overtook this transfer. The seventeenth start was its own.
        #expect(starts == 17)
    }
}
