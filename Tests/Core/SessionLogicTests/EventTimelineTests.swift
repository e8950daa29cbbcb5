// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Timelines of events")
struct EventTimelineTests {
    @Test("E4: events arrive in order and once; after a crash, unacknowledged events arrive again")
    func order() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2
            t=1s finish s 2
            expect told P 2 status 200, 2 file /f, 2 completed
            t=2s fail s 1
            expect told P 1 completed -1001
            t=3s ack P s 2
            t=4s crash
            t=5s open Q s
            expect told Q 2 completed, 1 completed -1001, finished
            t=6s ack Q s
            t=7s gone Q
            t=8s open R s
            expect told R nothing
            """)
    }

    @Test("An app in the background is called, then receives the events, then their end")
    func called() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=1s behind
            t=2s finish s 1
            expect told P called, 1 status 200, 1 file /f, 1 completed, finished
            t=3s missed P s
            expect told P called, 1 status 200, 1 file /f, 1 completed, finished
            """)
    }

    @Test("T6: another task continues a canceled task's bytes; if the transfer has ended, the task ends")
    func kept() {
        for (event, state) in [("", "runs"), ("t=2s finish s 1", "ended")] {
            SessionTimeline.run(
                """
                t=0s open P s
                t=0s submit P s 1
                t=1s keep P s 1 token
                expect told P 1 completed -999
                expect task s 1 waits
                \(event.isEmpty ? "t=2s missed P s" : event)
                t=3s submit P s 2 continues=token
                expect task s 1 \(state)
                """)
        }
    }

    @Test("A kept transfer whose pause was lost in a crash is paused at the next start")
    func keptPause() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=1s power 1
            t=1s keep P s 1 token
            expect task s 1 runs
            t=2s crash
            expect task s 1 waits
            """)
    }

    @Test(
        "After a crash, a transfer whose resumption was lost resumes; a transfer that the user paused does not")
    func resumption() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2
            t=1s suspend P s 1
            t=1s suspend P s 2
            t=1s resume P s 2
            t=1s hold s 2
            t=2s power 0
            t=2s resume P s 1
            expect task s 1 waits
            t=3s crash
            expect task s 1 runs
            expect task s 2 waits
            """)
    }

    @Test("A request that cannot be saved is refused without traces, and succeeds when repeated")
    func refused() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s full
            t=0s submit P s 1 refused
            expect task s 1 missing
            t=1s submit P s 1
            expect task s 1 runs
            t=2s full
            t=2s suspend P s 1 refused
            expect task s 1 runs
            t=3s suspend P s 1
            expect task s 1 waits
            """)
    }

    @Test("A saved order that was not carried out is carried out at the next start or repetition")
    func lost() {
        for again in ["t=2s crash", "t=2s power 99\nt=2s submit P s 1"] {
            SessionTimeline.run(
                """
                t=0s open P s
                t=1s power 0
                t=1s submit P s 1
                expect task s 1 missing
                \(again)
                expect task s 1 runs
                """)
        }
    }

    @Test("A task that cannot become a transfer ends with an error")
    func unusable() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 bad
            expect told P 1 completed -1002
            """)
    }
}
