// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import URLSessionExecutor

struct ConsumerExecutorTests {
    private actor Diary: ConsumerActor {
        nonisolated let consumer: ConsumerExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
        var entries: [Int] = []

        init(_ consumer: ConsumerExecutor) { self.consumer = consumer }

        func note(_ entry: Int) { entries.append(entry) }

        nonisolated func trespass() { assumeIsolated { $0.note(0) } }
    }

    @Test("what is dispatched and what is awaited run one after another, in order")
    func order() async {
        let diary = Diary(ConsumerExecutor())
        for entry in 0..<10_000 { diary.dispatch { $0.note(entry) } }
        await diary.note(10_000)
        diary.dispatch { $0.note(10_001) }
        diary.sync { $0.note(10_002) }
        #expect(await diary.entries == Array(0...10_002))
    }

    @Test("actors of one executor reach one another without a hop")
    func neighbors() async {
        let consumer = ConsumerExecutor()
        let (first, second) = (Diary(consumer), Diary(consumer))
        first.sync { _ in second.assumeIsolated { $0.note(1) } }
        #expect(await second.entries == [1])
    }

    @Test("whoever is on another thread is not taken for the consumer")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            Diary(ConsumerExecutor()).trespass()
        }
    }
}
