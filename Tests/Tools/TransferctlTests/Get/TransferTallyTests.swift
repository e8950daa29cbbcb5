// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("The totals of a command")
struct TransferTallyTests {
    private var tally = TransferTally(count: 3)

    private func status(_ id: Int64, _ state: TransferStatus.State, bytes: Int64, of total: Int64?) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f", name: "f", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(secondsSinceEpoch: 0))
        (status.bytes, status.total) = (bytes, total)
        if state == .running { status.rate = 1_000_000 }
        return status
    }

    @discardableResult
    private mutating func record(
        _ id: Int64, _ state: TransferStatus.State, _ bytes: Int64, of total: Int64? = 10_000_000, at second: Int64,
        _ kind: TransferEvent.Kind
    ) -> String? {
        let event = TransferEvent(time: WallTime(secondsSinceEpoch: second), kind: kind)
        return tally.record(status(id, state, bytes: bytes, of: total), event)
    }

    private static func completion(bytes: Int64, wasAlreadyComplete: Bool = false) -> TransferEvent.Kind {
        .ended(
            TransferCompletion(
                status: 200, file: CompletedFile(path: "/f", bytes: bytes, modified: 0, validator: nil),
                wasAlreadyComplete: wasAlreadyComplete))
    }

    @Test("The line shows the ended transfers, the share, the rate, and the time left")
    mutating func line() {
        record(1, .running, 0, of: nil, at: 0, .started)
        #expect(tally.line == "0 of 3 done  0 B  1.00 MB/s")
        for id in 1...3 { record(Int64(id), .running, 2_000_000, at: 2, .progressed) }
        #expect(tally.line == "0 of 3 done  20 % of 30.0 MB  3.00 MB/s  ETA 0:08")
        record(1, .finished, 10_000_000, at: 4, Self.completion(bytes: 10_000_000))
        record(2, .failed, 2_000_000, at: 4, .ended(nil))
        #expect(tally.line == "1 of 3 done, 1 failed  63 % of 22.0 MB  1.00 MB/s  ETA 0:08")
    }

    @Test("The summary counts the ends, and only bytes of this run")
    mutating func summary() {
        record(1, .running, 4_000_000, at: 10, .started)
        #expect(record(1, .running, 4_000_000, at: 11, .progressed) == "resumed at 4.00 MB")
        #expect(record(1, .running, 6_000_000, at: 12, .progressed) == nil)
        record(1, .finished, 10_000_000, at: 14, Self.completion(bytes: 10_000_000))
        #expect(tally.pace(of: TransferID(1))?.text == " in 0:04, 1.50 MB/s on average")
        record(2, .finished, 10_000_000, at: 14, Self.completion(bytes: 10_000_000, wasAlreadyComplete: true))
        record(3, .failed, 0, at: 14, .ended(nil))
        #expect(
            tally.summary
                == "2 done (1 already complete), 1 failed; 6.00 MB in 0:04, 1.50 MB/s on average\n  failed: http://h/f")
        let fields = tally.fields
        #expect(fields["failedURLs"] as? [String] == ["http://h/f"])
        for (key, value) in [
            "finished": 2, "alreadyComplete": 1, "failed": 1, "cancelled": 0, "unfinished": 0, "bytes": 6_000_000,
            "averageRate": 1_500_000,
        ] {
            #expect((fields[key] as? any BinaryInteger).map { Int($0) } == value, "\(key)")
        }
        #expect(fields["elapsed"] as? Double == 4 && fields["time"] as? String == "1970-01-01T00:00:14.000Z")
    }

    @Test("Unfinished transfers are counted, and a run of less than a second has no rate")
    mutating func interrupted() {
        record(1, .running, 0, at: 0, .started)
        record(1, .finished, 5, of: 5, at: 0, Self.completion(bytes: 5))
        #expect(tally.summary == "1 done, 2 not finished; 5 B")
        #expect(tally.pace(of: TransferID(1)) == nil)
    }

    @Test("A transfer that starts over is not called resumed")
    mutating func restarted() {
        record(1, .running, 4_000_000, at: 0, .started)
        #expect(record(1, .running, 0, at: 1, .restarted(.notResumable)) == nil)
        #expect(record(1, .running, 65_536, at: 1, .progressed) == nil)
        record(2, .running, 4_000_000, at: 0, .started)
        #expect(record(2, .running, 0, at: 1, .progressed) == "server cannot resume, starting over")
    }
}
