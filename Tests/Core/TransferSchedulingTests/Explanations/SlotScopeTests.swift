// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §4: The slots of hosts, sessions, and apps, in addition to the global slots.
@Suite struct SlotScopeTests {
    private static func configuration(
        global: Int = 20, host: Int = 20, app: Int = 20, session: Int = 20
    ) -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = global
        configuration.slotsPerHost = host
        configuration.slotsPerApp = app
        configuration.slotsPerSession = session
        return configuration
    }

    @Test("By default, four transfers per app run, and other apps continue")
    func perApp() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 6
        Timeline.run(
            """
            t=0s submit 1 normal app=x
            t=0s submit 2 normal app=x
            t=0s submit 3 normal app=x
            t=0s submit 4 normal app=x
            t=0s submit 5 normal app=x
            t=0s submit 6 normal app=y
            expect 6 starts at 0s
            expect 5 because waitingForSlot:app:x
            expect 5 saying waiting for other transfers of the same app — starts when another transfer ends
            t=3s finish 6
            expect 5 waits waitingForSlot
            t=4s finish 3
            expect 5 starts at 4s
            """, configuration: configuration)
    }

    @Test("The session limit counts per app; transfers without a session have none")
    func perSession() {
        Timeline.run(
            """
            t=0s submit 1 normal app=x session=s
            t=0s submit 2 normal app=x session=s
            t=0s submit 3 normal app=x session=t
            t=0s submit 4 normal app=y session=s
            t=0s submit 5 normal app=x
            t=0s submit 6 normal app=x
            expect order 1,3,4,5,6
            expect 2 because waitingForSlot:session:s
            t=3s finish 1
            expect 2 starts at 3s
            """, configuration: Self.configuration(session: 1))
    }

    @Test("A session's own limit per host replaces the setting, higher or lower (S10)")
    func ownHostLimit() {
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            t=0s submit 2 normal host=h
            t=0s submit 3 normal host=h
            t=0s submit 4 normal host=h hostSlots=3
            t=0s submit 5 normal host=h hostSlots=3
            t=0s submit 6 normal host=g hostSlots=1
            t=0s submit 7 normal host=g hostSlots=1
            t=0s submit 8 normal host=g
            expect order 1,2,4,6,8
            expect 3 because waitingForSlot:host:h
            expect 5 because waitingForSlot:host:h
            expect 7 because waitingForSlot:host:g
            t=1s finish 1
            expect 5 starts at 1s
            expect 3 waits waitingForSlot
            t=2s finish 2
            expect order 1,2,4,6,8,5
            t=3s finish 4
            expect 3 starts at 3s
            t=4s finish 6
            expect order 1,2,4,6,8,5,3
            t=5s finish 8
            expect 7 starts at 5s
            """, configuration: Self.configuration(host: 2))
    }

    @Test("Of several full scopes, the host is named first, then session, app, and all")
    func order() {
        Timeline.run(
            """
            t=0s submit 1 normal app=x session=s host=h
            t=0s submit 2 normal app=x session=s host=h
            t=0s submit 3 normal app=x session=s host=g
            t=0s submit 4 normal app=x host=g
            t=0s submit 5 normal app=y host=g
            expect 2 because waitingForSlot:host:h
            expect 3 because waitingForSlot:session:s
            expect 4 because waitingForSlot:app:x
            expect 5 because waitingForSlot:global
            """, configuration: Self.configuration(global: 1, host: 1, app: 1, session: 1))
    }

    @Test("Settings below one slot count as one for apps and sessions too")
    func atLeastOne() {
        Timeline.run(
            """
            t=0s submit 1 normal app=x session=s
            t=0s submit 2 normal app=x session=t
            t=0s submit 3 normal app=y session=s hostSlots=0
            expect order 1,3
            expect 2 because waitingForSlot:app:x
            """, configuration: Self.configuration(app: 0, session: -1))
    }

    @Test("An app whose host is busy does not block its work for other hosts, nor lower work behind it")
    func passing() {
        Timeline.run(
            """
            t=0s submit 1 normal app=x host=h
            t=0s submit 2 userInitiated app=x host=h
            t=0s submit 3 normal app=x host=g
            t=0s submit 4 normal app=y host=f priority=1
            expect order 1,3,4
            expect 2 because waitingForSlot:host:h
            t=5s finish 1
            expect 2 starts at 5s
            """, configuration: Self.configuration(host: 1))
    }

    @Test("A running transfer that moves to another host keeps its slots")
    func moved() {
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            t=0s submit 2 normal host=h
            t=0s submit 3 normal host=g
            expect order 1,3
            t=1s finish 3
            t=2s change 1 normal host=g
            expect 1 runs
            expect 2 starts at 2s
            t=3s submit 4 normal host=g
            expect 4 because waitingForSlot:host:g
            t=4s finish 1
            expect 4 starts at 4s
            """, configuration: Self.configuration(host: 1))
    }

    @Test("While all slots are taken, no wake-up is requested")
    func noWakeWhileFull() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal notBefore=100s
            t=0s submit 3 normal window=3600-7200
            expect wake none
            t=50s finish 1
            expect wake 100s
            """, configuration: Self.configuration(global: 1), watchesAll: false)
    }
}
