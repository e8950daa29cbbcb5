// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §3: Budgets of metered bytes per connection and per app, with a billing day. Runs begin on November 23; the next
/// month begins 691200 s later.
@Suite struct BudgetTests {
    @Test("A nearly used budget delays discretionary work; an exhausted one, all background work")
    func kinds() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=1000
            t=0s submit 1 normal app=x
            t=0s submit 2 discretionary app=x metered=allowed
            t=0s submit 3 userInitiated app=x
            expect 2 starts at 0s
            t=1s progress 1 799
            expect order 1,2,3
            expect quiet until 2s
            t=2s progress 1 800
            expect 2 stops at 2s
            expect 2 because budgetSpent:meteredBytes:691200s
            t=3s progress 1 999
            expect 1 runs
            t=4s progress 1 1000
            expect 1 stops at 4s
            expect 1 because budgetSpent:meteredBytes:691200s
            t=5s progress 3 5000
            expect 3 runs
            t=6s submit 4 normal app=x
            expect 4 waits budgetSpent
            t=6s submit 5 userInitiated app=x
            expect 5 runs
            """)
    }

    @Test("The billing day renews a budget and wakes the scheduler, to the second")
    func renewal() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=1000 day=24
            t=0s submit 1 normal app=x
            t=1s progress 1 2000
            expect 1 because budgetSpent:meteredBytes:86400s
            expect 1 looked 86400s
            expect wake 86400s
            expect order 1
            expect quiet until 86399.9s
            expect 1 starts at 86400s
            t=86401s progress 1 2999
            expect 1 runs
            t=86402s progress 1 3000
            expect 1 stops at 86402s
            """, watchesAll: false)
    }

    @Test("A connection's budget applies to all apps on that connection")
    func perConnection() {
        Timeline.run(
            """
            given metered=yes connection=phone
            t=0s budget connection=phone limit=1000
            t=0s submit 1 normal app=x
            t=0s submit 2 normal app=y
            t=1s progress 1 1000
            expect 1 waits budgetSpent
            expect 2 waits budgetSpent
            t=2s connection other
            expect 1 runs
            expect 2 runs
            t=3s progress 2 9000
            expect 2 runs
            t=4s connection phone
            expect 1 waits budgetSpent
            t=5s metered no
            expect 1 runs
            t=6s metered guessYes
            expect 1 waits budgetSpent
            """)
    }

    @Test("An app's budget does not affect other apps; the tighter budget decides")
    func perApp() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=1000
            t=0s budget connection=home limit=3000
            t=0s submit 1 normal app=x
            t=0s submit 2 normal app=y
            t=1s progress 1 1000
            expect 1 waits budgetSpent
            expect 2 runs
            expect order 1,2
            t=2s progress 2 2000
            expect 2 stops at 2s
            t=3s budget connection=home limit=9000
            expect 2 runs
            expect 1 waits budgetSpent
            t=4s budget none
            expect 1 runs
            """)
    }

    @Test("Unmetered networks and loopback servers cost nothing and are not blocked")
    func free() {
        Timeline.run(
            """
            t=0s budget app=x limit=1000
            t=0s submit 1 normal app=x
            t=0s submit 2 normal app=x loopback
            t=1s progress 1 9000
            t=2s metered yes
            expect 1 runs
            t=3s progress 2 9000
            expect 1 runs
            t=4s progress 1 10000
            expect 1 waits budgetSpent
            expect 2 runs
            """)
    }

    @Test("Used bytes survive a restart of the process")
    func restart() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=1000
            t=0s submit 1 normal app=x
            t=1s progress 1 600
            t=2s crash
            expect 1 runs
            t=3s progress 1 999
            expect 1 runs
            t=4s progress 1 1000
            expect 1 waits budgetSpent
            """)
    }

    @Test("A zero budget blocks everything; a limit below the used bytes stops immediately")
    func limits() {
        Timeline.run(
            """
            given metered=yes
            t=0s submit 1 normal app=x
            expect order 1
            t=1s budget app=x limit=0
            expect 1 stops at 1s
            t=2s budget app=x limit=1
            expect 1 starts at 2s
            """)
    }

    @Test("Without a network, the missing network is the reason, not the budget")
    func noNetwork() {
        Timeline.run(
            """
            given metered=yes network=none
            t=0s budget app=x limit=0
            t=0s submit 1 normal app=x
            expect 1 waits noNetwork
            t=1s network full
            expect 1 waits budgetSpent
            """)
    }

    @Test("A renewal that starts nothing causes no wake-up")
    func noIdleWake() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=10 used=10
            t=0s submit 1 discretionary app=y
            t=0s submit 2 normal app=y links=wifi
            expect wake none
            t=1s submit 3 normal app=x links=wifi
            expect wake none
            t=2s link wifi
            expect wake 691200s
            """, watchesAll: false)
    }

    @Test("The remedies are an unmetered network and the renewal date")
    func explained() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=10 day=24 used=10
            t=0s submit 1 normal app=x
            t=0s submit 2 discretionary app=x metered=allowed
            expect 1 released joinUnmetered:0s,wait:86400s
            expect 2 released joinUnmetered:5s,wait:86400s
            expect 1 saying the metered data budget is used up — starts as soon as you join an unmetered network, or starts Tue 24 Nov 00:00:00
            """)
    }
}
