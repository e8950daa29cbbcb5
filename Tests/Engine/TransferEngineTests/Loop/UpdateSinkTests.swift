// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferScheduling

@testable import TransferEngine

@Suite struct UpdateSinkTests {
    private let id = TransferID(1)

    private func reading(_ milliseconds: Int64) -> ClockReading {
        EngineFixture.start.advanced(by: .milliseconds(milliseconds))
    }

    /// Returns the kinds of the updates that `body` reported.
    private func reportedKinds(_ body: (UpdateSink) -> Void) async -> [String] {
        let (stream, continuation) = AsyncStream.makeStream(of: EngineUpdate.self)
        body(UpdateSink(continuation, registry: nil))
        continuation.finish()
        var kinds: [String] = []
        for await update in stream {
            guard case .transfer(let update) = update else { continue }
            if case .progressed(let bytes, _, _) = update.kind {
                kinds.append("\(bytes)")
            } else {
                kinds.append("other")
            }
        }
        return kinds
    }

    private func progress(_ bytes: Int64) -> TransferUpdate.Kind { .progressed(bytes: bytes, total: nil, rate: nil) }

    /// Reports progress of 1 to 12 bytes at once, as after a time in which a busy machine ran nothing.
    private func reportTogether(_ sink: UpdateSink) {
        for bytes in 1...12 as ClosedRange<Int64> { sink.reportProgress(of: id, progress(bytes), at: reading(bytes)) }
    }

    @Test("Reports that arrive together are all reported, because no other may follow for long")
    func together() async {
        let kinds = await reportedKinds { sink in
            sink.reportProgress(of: id, progress(0), at: reading(0))
            sink.reportProgress(of: id, progress(200_000), at: reading(1))
        }
        #expect(kinds == ["0", "200000"])
    }

    @Test("Progress is reported four times a second on average")
    func interval() async {
        let kinds = await reportedKinds { sink in
            for tick in 0..<1000 { sink.reportProgress(of: id, progress(Int64(tick)), at: reading(Int64(tick) * 10)) }
        }
        #expect((44...54).contains(kinds.count), "\(kinds.count)")
    }

    @Test("The latest progress is reported once, before any other event")
    func lastProgress() async {
        let kinds = await reportedKinds { sink in
            reportTogether(sink)
            sink.report(id, .paused, at: reading(30))
            sink.report(id, .cancelled, at: reading(40))
        }
        #expect(kinds == (1...9).map(String.init) + ["12", "other", "other"])
    }

    @Test("A new attempt reports its first progress immediately, and no progress of an earlier attempt")
    func newAttempt() async {
        let kinds = await reportedKinds { sink in
            reportTogether(sink)
            sink.report(id, .started(attempt: 2), at: reading(20))
            sink.reportProgress(of: id, progress(3), at: reading(30))
        }
        #expect(kinds == (1...9).map(String.init) + ["other", "3"])
    }
}
