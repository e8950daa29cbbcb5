// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Timelines of requests to apps")
struct AppRequestTimelineTests {
    @Test("T3: a delayed task begins after its date and its app's reply")
    func asked() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=300s
            expect told P nothing at 299s
            expect told P 1 begin? at 300s
            expect task s 1 waits
            t=400s begin P s 1 asBefore
            expect task s 1 runs
            """)
    }

    @Test("An app that exits without a reply is started immediately and asked again")
    func leaves() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=300s
            t=0s submit P s 2 begin=300s
            expect told P 1 begin?, 2 begin? at 300s
            t=301s begin P s 1 asBefore
            t=301s gone P
            expect launch s at 301s
            t=301s launched 500
            t=302s open Q s pid=500
            expect told Q 2 begin?, finished
            t=303s begin Q s 2 asBefore
            expect task s 2 runs
            t=304s gone Q
            expect quiet until 90000s
            """)
    }

    @Test("R7: an app that cancels the task in reply to the request has handled it, and is started without a pause")
    func cancels() {
        for order in ["cancel Q s 1", "keep Q s 1 token", "begin Q s 1 cancel"] {
            SessionTimeline.run(
                """
                t=0s open P s
                t=0s submit P s 1 begin=300s
                t=1s gone P
                expect launch s at 300s
                t=300s launched 500
                t=301s open Q s pid=500
                expect told Q 1 begin?, finished
                t=302s \(order)
                t=303s gone Q
                expect launch s at 303s
                """)
        }
    }

    @Test("Without an app that can be started, a task does not wait for a reply")
    func nobody() {
        for word in ["quiet", "unregistered"] {
            SessionTimeline.run(
                """
                t=0s open P s \(word)
                t=0s submit P s 1 begin=300s
                t=0s submit P s 2 begin=600s
                expect told P 1 begin? at 300s
                t=301s gone P
                expect task s 1 runs
                expect quiet until 600s
                expect task s 2 runs
                """)
        }
    }

    @Test("After a change of the date, the app is asked at the new date, or immediately without a date")
    func dates() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=3000s
            t=0s submit P s 2 begin=3000s
            t=0s submit P s 3 begin=3000s
            t=1s gone P
            t=2s date s 1 never
            expect launch s at 2s
            t=2s launched 500
            t=3s open Q s pid=500
            expect told Q 1 begin?, finished
            t=4s begin Q s 1 asBefore
            t=5s date s 2 60s
            expect told Q 2 begin? at 60s
            t=61s change Q s 3 begin=90s
            expect told Q 3 begin? at 90s
            expect told Q nothing at 4000s
            """)
    }

    @Test("After a crash, the app is asked again unless it had replied")
    func crash() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=300s
            t=0s submit P s 2 begin=300s
            t=0s submit P s 3 begin=900s
            t=301s begin P s 1 asBefore
            t=302s crash
            expect launch s at 302s
            t=303s open Q s
            expect told Q 2 begin?, finished
            expect task s 1 runs
            expect task s 2 waits
            expect told Q 3 begin? at 900s
            """)
    }

    @Test("An app without a reply is not asked again, and not waited for")
    func unasked() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=300s
            t=0s submit P s 2 begin=300s
            t=0s submit P s 3 begin=400s
            t=300s begin P s 1 unasked
            expect task s 1 runs
            expect task s 2 runs
            t=301s gone P
            expect quiet until 400s
            expect task s 3 runs
            """)
    }

    @Test("T3: an app may replace the request, or cancel the task")
    func other() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1 begin=300s
            t=0s submit P s 2 begin=300s
            t=300s begin P s 1 with
            t=300s begin P s 2 cancel
            expect told P 1 begin?, 2 begin?, 2 completed -999
            expect task s 1 ended
            expect task s 1 runs again=1
            t=301s begin P s 1 with
            expect task s 1 runs again=1
            expect task s 1 missing again=2
            """)
    }

    @Test("T8: a challenge starts the app, and is reported to each process until one replies")
    func login() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=1s gone P
            t=2s challenge s 1
            expect launch s at 2s
            t=3s open Q s
            expect told Q 1 login? basic, finished
            t=4s gone Q
            t=4s launched 500
            expect quiet until 63s
            expect launch s at 64s
            t=65s open R s
            expect told R 1 login? basic, finished
            t=66s answer R s 1
            expect task s 1 runs
            t=67s gone R
            t=67s launched 501
            expect quiet until 90000s
            """)
    }
}
