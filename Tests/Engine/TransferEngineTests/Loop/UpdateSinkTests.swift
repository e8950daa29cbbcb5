// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferScheduling

@testable import TransferEngine

@Suite struct UpdateSinkTests {
    private let id = TransferID(1)

    private func moment(_ milliseconds: Int64) -> Moment {
        EngineRig.start.advanced(by: .milliseconds(milliseconds))
    }

    /// Returns the kinds of the updates that `body` reported.
    private func told(_ body: (UpdateSink) -> Void) async -> [String] {
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

    @Test("progress is told four times a second at most")
    func interval() async {
        let kinds = await told { sink in
            for tick in 0..<10 { sink.tellProgress(of: id, progress(Int64(tick)), at: moment(Int64(tick) * 100)) }
        }
        #expect(kinds == ["0", "3", "6", "9"])
    }

    @Test("the last progress is told before anything else happens, once")
    func lastProgress() async {
        let kinds = await told { sink in
            sink.tellProgress(of: id, progress(1), at: moment(0))
            sink.tellProgress(of: id, progress(2), at: moment(10))
            sink.tellProgress(of: id, progress(3), at: moment(20))
            sink.tell(id, .paused, at: moment(30))
            sink.tell(id, .cancelled, at: moment(40))
        }
        #expect(kinds == ["1", "3", "other", "other"])
    }

    @Test("a new attempt tells its first progress at once, and nothing of an earlier one")
    func newAttempt() async {
        let kinds = await told { sink in
            sink.tellProgress(of: id, progress(1), at: moment(0))
            sink.tellProgress(of: id, progress(2), at: moment(10))
            sink.tell(id, .started(attempt: 2), at: moment(20))
            sink.tellProgress(of: id, progress(3), at: moment(30))
        }
        #expect(kinds == ["1", "other", "3"])
    }
}
