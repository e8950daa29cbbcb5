// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferPolicy

@testable import TransferDaemon

@Suite struct EndedTransfersSummaryTests {
    private func status(
        _ id: Int64, _ state: TransferStatus.State, app: String = BusCaller.person, error: String? = nil
    ) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f", name: "f\(id)", app: app, isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
        status.error = error
        return status
    }

    @Test("The notification of one transfer has its path or its error")
    func one() {
        var summary = EndedTransfersSummary()
        var done = status(1, .finished)
        done.path = "/d/f1"
        summary.add(done)
        #expect(
            summary.makeMessage()
                == EndedTransfersSummary.Message(
                    title: "Download finished", body: "/d/f1", isFailure: false,
                    actions: [.open(path: "/d/f1"), .showInFolder(path: "/d/f1")]))
        #expect(summary.isEmpty && summary.makeMessage() == nil)
        var upload = status(2, .failed, error: "the server answered 500")
        upload.isUpload = true
        summary.add(upload)
        let message = EndedTransfersSummary.Message(
            title: "Upload failed", body: "f2: the server answered 500", isFailure: true,
            actions: [.retry(TransferID(2))])
        #expect(summary.makeMessage() == message)
    }

    @Test("A deadline in danger is notified, unless the transfer ends before the notification")
    func late() {
        var summary = EndedTransfersSummary()
        var risky = status(1, .waiting)
        summary.add(risky)
        #expect(summary.isEmpty)
        risky.deadlineState = .atRisk
        summary.add(risky)
        #expect(
            summary.makeMessage()
                == EndedTransfersSummary.Message(
                    title: "Download may be late", body: "f1 will probably miss its deadline", isFailure: true))
        risky.deadlineState = .missed
        summary.add(risky)
        summary.add(status(1, .finished))
        #expect(summary.makeMessage()?.title == "Download finished")
        #expect(summary.isEmpty)
    }

    @Test("Transfers that end together share one notification with at most five names, failures first")
    func many() {
        var summary = EndedTransfersSummary()
        for id in 1...8 as ClosedRange<Int64> { summary.add(status(id, .finished)) }
        summary.add(status(9, .failed, error: "gone"))
        let message = summary.makeMessage()
        #expect(message?.title == "1 of 9 transfers failed")
        #expect(message?.body == "f9: gone\nf1\nf2\nf3\nf4\n… and 4 more")
        for id in 1...2 as ClosedRange<Int64> { summary.add(status(id, .finished)) }
        #expect(summary.makeMessage()?.title == "2 transfers finished")
    }

    @Test("C8: notifications contain no control or direction characters except line breaks")
    func controlCharacters() {
        var summary = EndedTransfersSummary()
        var done = status(1, .finished)
        done.path = "/d/\u{202E}gpj.exe\n"
        summary.add(done)
        #expect(summary.makeMessage()?.body == "/d/\u{FFFD}gpj.exe\u{FFFD}")
        summary.add(status(2, .failed, error: "\u{1B}[2J\nall is well"))
        #expect(summary.makeMessage()?.body == "f2: \u{FFFD}[2J\u{FFFD}all is well")
        for id in 3...4 as ClosedRange<Int64> { summary.add(status(id, .failed, error: "\u{2066}\n")) }
        #expect(summary.makeMessage()?.body == "f3: \u{FFFD}\u{FFFD}\nf4: \u{FFFD}\u{FFFD}")
    }

    @Test("Transfers of apps, cancelled transfers, and unfinished transfers are not reported")
    func none() {
        var summary = EndedTransfersSummary()
        summary.add(status(1, .finished, app: "org.example.App"))
        summary.add(status(2, .cancelled))
        summary.add(status(3, .running))
        #expect(summary.isEmpty)
    }
}
