// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite struct PolicyHistoryTests {
    @Test("Statistics survive storage; missing or invalid parts are tolerated")
    func stored() throws {
        var history = PolicyHistory()
        for hour in 0..<400 {
            let conditions = Sample.conditions { $0.metered.value = hour % 3 == 0 ? .no : .yes }
            history.observe(
                .init(conditions, at: Sample.now.advanced(by: .seconds(3600 * hour))),
                localTime: .utc)
        }
        let stored = try JSONEncoder().encode(history)
        var read = try JSONDecoder().decode(PolicyHistory.self, from: stored)
        #expect(read.observed == nil)
        let next = PolicyHistory.Observation(Sample.conditions(), at: Sample.now)
        read.observe(next, localTime: .utc)
        #expect(read.week == history.week && read.conditions == history.conditions)
        #expect(try JSONDecoder().decode(PolicyHistory.self, from: Data("{}".utf8)) == PolicyHistory())
    }

    @Test("Time before the first observation and time that runs backward are ignored")
    func nothing() {
        var history = PolicyHistory()
        history.elapse(to: Sample.now, localTime: .utc)
        #expect(history == PolicyHistory())
        let battery = Sample.conditions { $0.power.value = .battery }
        history.observe(.init(battery, at: Sample.now), localTime: .utc)
        history.elapse(to: Sample.now.advanced(by: .seconds(-1000)), localTime: .utc)
        #expect(history.conditions.awakeTime(without: .ac) == .zero)
    }
}
