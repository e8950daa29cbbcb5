// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPExecutor

struct ConsumerExecutorTests {
    private actor EntryRecorder: ConsumerActor {
        nonisolated let consumer: ConsumerExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
        var entries: [Int] = []

        init(_ consumer: ConsumerExecutor) { self.consumer = consumer }

        func record(_ entry: Int) { entries.append(entry) }

        nonisolated func accessFromOutside() { assumeIsolated { $0.record(0) } }
    }

    @Test("Dispatched and awaited work runs in order, one after another")
    func order() async {
        let recorder = EntryRecorder(ConsumerExecutor())
        for entry in 0..<10_000 { recorder.dispatch { $0.record(entry) } }
        await recorder.record(10_000)
        recorder.dispatch { $0.record(10_001) }
        recorder.sync { $0.record(10_002) }
        #expect(await recorder.entries == Array(0...10_002))
    }

    @Test("Actors on one executor call one another without a context switch")
    func neighbors() async {
        let consumer = ConsumerExecutor()
        let (first, second) = (EntryRecorder(consumer), EntryRecorder(consumer))
        first.sync { _ in second.assumeIsolated { $0.record(1) } }
        #expect(await second.entries == [1])
    }

    @Test("Code on another thread is not mistaken for the consumer")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            EntryRecorder(ConsumerExecutor()).accessFromOutside()
        }
    }
}
