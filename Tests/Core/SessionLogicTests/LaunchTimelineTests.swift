// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Timelines of app launches")
struct LaunchTimelineTests {
    @Test("L2, R6: an app that has ended is started once, after the last task of its session")
    func once() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2
            t=1s gone P
            t=5s finish s 1
            expect quiet until 9s
            t=10s finish s 2
            expect launch s at 10s
            t=10s launched 500
            t=11s open Q s pid=500
            expect told Q 1 status 200, 1 file /f, 1 completed, 2 status 200, 2 file /f, 2 completed, finished
            t=12s ack Q s
            t=13s gone Q
            expect quiet until 90000s
            """)
    }

    @Test("A program that crashes right after opening its session is started again after 60, 120, 240 s, up to 6 h")
    func crashes() {
        var lines = ["t=0s open P s", "t=0s submit P s 1", "t=0s gone P", "t=1s finish s 1"]
        var (time, pause) = (1, 60)
        for start in 0..<12 {
            lines += [
                "expect launch s at \(time)s", "t=\(time)s launched \(500 + start)", "t=\(time)s open Q\(start) s",
                "t=\(time + 1)s gone Q\(start)", "expect quiet until \(time + pause)s",
            ]
            time += 1 + pause
            pause = min(pause * 2, 21_600)
        }
        SessionTimeline.run(lines.joined(separator: "\n"))
    }

    @Test("The host does not wait for a program that exits during its start")
    func briefVisit() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s gone P
            t=1s finish s 1
            expect launch s at 1s
            t=2s open Q s
            t=3s gone Q
            t=4s launched 500
            expect quiet until 63s
            expect launch s at 64s
            """)
    }

    @Test("An app that exits after handling a task is started again immediately, and its pause is reset")
    func rest() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2
            t=0s gone P
            t=1s finish s 1
            t=1s finish s 2
            expect launch s at 1s
            t=1s launched crashed
            expect launch s at 61s
            t=61s launched 500
            t=62s open Q s pid=500
            t=63s ack Q s 3
            t=64s gone Q
            expect launch s at 64s
            t=64s launched crashed
            expect launch s at 124s
            """)
    }

    @Test("A program that crashes on a task's file or last event is started again after a pause")
    func crashesLater() {
        for handled in 1...2 {
            SessionTimeline.run(
                """
                t=0s open P s
                t=0s submit P s 1
                t=0s gone P
                t=1s finish s 1
                expect launch s at 1s
                t=1s launched 500
                t=2s open Q s pid=500
                t=2s ack Q s \(handled)
                t=3s gone Q
                expect quiet until 62s
                expect launch s at 63s
                t=63s launched 501
                t=64s open R s pid=501
                t=64s gone R
                expect quiet until 183s
                expect launch s at 184s
                """)
        }
    }

    @Test("An app that the user starts during the pause is started again for the remaining events")
    func person() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2
            t=0s gone P
            t=1s finish s 1
            t=1s finish s 2
            expect launch s at 1s
            t=1s launched missing
            t=10s open Q s
            expect front yes
            t=11s ack Q s 3
            t=12s gone Q
            expect launch s at 12s
            """)
    }

    @Test("An idle app is started again only after it has exited and the pause has passed")
    func hangs() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s gone P
            t=1s finish s 1
            expect launch s at 1s
            t=1s launched 500
            t=2s open Q s pid=500
            expect front no
            expect quiet until 500s
            t=500s gone Q
            expect quiet until 559s
            expect launch s at 560s
            t=560s launched 501
            expect quiet until 709s
            expect launch s at 710s
            """)
    }

    @Test("S7, L3: without launch events or a launch method, events wait until the app is started")
    func notStarted() {
        for word in ["quiet", "unregistered"] {
            SessionTimeline.run(
                """
                t=0s open P s \(word)
                t=0s submit P s 1
                t=0s gone P
                t=1s finish s 1
                expect quiet until 90000s
                t=90001s open Q s \(word)
                expect told Q 1 status 200, 1 file /f, 1 completed, finished
                """)
        }
    }

    @Test("L4: after a force quit, tasks are canceled and the app is not started; its events wait for the user")
    func quit() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s submit P s 2 suspended
            t=1s gone P
            t=2s quit
            expect quiet until 90000s
            t=90000s open Q s
            expect told Q 2 completed -999, 1 completed -999, finished
            """)
    }

    @Test("An app is started for one session at a time")
    func oneAtATime() {
        SessionTimeline.run(
            """
            t=0s open P a
            t=0s open P b
            t=0s submit P a 1
            t=0s submit P b 1
            t=0s gone P
            t=1s finish a 1
            expect launch a at 1s
            t=1s launched 500
            t=2s finish b 1
            t=3s open Q a pid=500
            expect quiet until 3s
            t=4s ack Q a
            expect launch b at 4s
            """)
    }

    @Test("After a crash of this program, every waiting app is started")
    func crash() {
        SessionTimeline.run(
            """
            t=0s open P s
            t=0s submit P s 1
            t=0s gone P
            t=1s power 0
            t=2s finish s 1
            expect quiet until 3s
            t=3s crash
            expect launch s at 3s
            t=4s crash
            expect launch s at 4s
            """)
    }
}
