// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPExecutor

struct ResponseDelayTests {
    @Test("The delay from the first request to the first final response is reported once")
    func once() {
        var delay = ResponseDelay()
        delay.requestSent(now: 100)
        delay.requestSent(now: 500)
        let (interim, final) = (ResponseHead(status: 104, fields: []), ResponseHead(status: 302, fields: []))
        let delays = [(interim, 600), (final, 700), (final, 800)].map { delay.headReceived($0.0, now: $0.1) }
        #expect(delays == [nil, .nanoseconds(600), nil])
    }
}
