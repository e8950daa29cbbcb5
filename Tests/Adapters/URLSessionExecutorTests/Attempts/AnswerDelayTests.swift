// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import URLSessionExecutor

struct AnswerDelayTests {
    @Test("the first final answer tells its delay since the first request, once")
    func once() {
        var delay = AnswerDelay()
        delay.asked(now: 100)
        delay.asked(now: 500)
        let (interim, final) = (ResponseHead(status: 104, fields: []), ResponseHead(status: 302, fields: []))
        let told = [(interim, 600), (final, 700), (final, 800)].map { delay.answered($0.0, now: $0.1) }
        #expect(told == [nil, .nanoseconds(600), nil])
    }
}
