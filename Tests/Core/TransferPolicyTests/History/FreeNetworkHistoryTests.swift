// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite struct FreeNetworkHistoryTests {
    /// A machine whose observations are letters: `A` is AC and unmetered, `b` battery and unmetered, `m` metered,
    /// `z` asleep on an unmetered network, and `-` no network.
    private struct Observer {
        var history = PolicyHistory()
        var now = Sample.now

        mutating func see(_ letter: Character, at hours: Double) {
            now = Sample.now.advanced(by: .seconds(hours * 3600))
            let conditions = Sample.conditions {
                $0.power.value = letter == "b" ? .battery : .ac
                $0.metered.value = letter == "m" ? .yes : .no
                $0.network.value = letter == "-" ? .none : .full
                $0.sleep.value = letter == "z" ? .aboutToSleep : .awake
            }
            history.observe(.init(conditions, at: now), localTime: .utc)
        }

        /// Stores and reads the history, as a restart of the daemon does.
        mutating func restart() throws {
            history = try JSONDecoder().decode(PolicyHistory.self, from: JSONEncoder().encode(history))
        }

        var hours: Double { Double(history.freeNetwork.longest.wholeNanoseconds) / 3600e9 }
    }

    @Test("A stretch lasts from the last unmetered moment to the next, through metered networks, sleep, and outages")
    func stretch() {
        var observer = Observer()
        for (letter, hour) in zip("AAm-zb", [0.0, 3, 5, 7, 8, 12]) {
            observer.see(letter, at: hour)
            if letter != "b" { #expect(observer.hours == 0) }
        }
        #expect(observer.hours == 7)
        observer.see("m", at: 20)
        observer.see("A", at: 26)
        #expect(observer.hours == 7)
    }

    @Test("The time before the first unmetered network is no stretch")
    func beginning() {
        var observer = Observer()
        observer.see("m", at: 0)
        observer.see("A", at: 100)
        #expect(observer.hours == 0)
    }

    @Test("A restart continues a stretch, and counts the time in which the daemon did not run")
    func restart() throws {
        var observer = Observer()
        observer.see("A", at: 0)
        observer.see("m", at: 10)
        observer.history.elapse(to: Sample.now.advanced(by: .seconds(11 * 3600)), localTime: .utc)
        try observer.restart()
        observer.see("-", at: 30)
        observer.see("A", at: 35)
        #expect(observer.hours == 25)
        observer.history.elapse(to: Sample.now.advanced(by: .seconds(36 * 3600)), localTime: .utc)
        try observer.restart()
        observer.see("A", at: 76)
        #expect(observer.hours == 40)
    }

    @Test("A stretch is forgotten after four weeks, but not while a transfer may rely on it on battery")
    func forgetting() {
        var observer = Observer()
        let week = 168.0
        for (letter, hour) in zip("AmAmA", [0.0, 1, 31, 200, 210]) { observer.see(letter, at: hour) }
        #expect(observer.hours == 30)
        observer.see("b", at: 3.9 * week)
        #expect(observer.hours == 30)
        observer.see("b", at: 9 * week)
        #expect(observer.hours == 30)
        observer.see("A", at: 9 * week + 1)
        #expect(observer.hours == 0)
    }

    @Test("The longest stretch of each week counts for four weeks")
    func weeks() {
        var observer = Observer()
        let week = 168.0
        observer.see("A", at: 0)
        for (number, length) in [40.0, 30, 20, 10, 5].enumerated() {
            observer.see("m", at: Double(number) * week + 80)
            observer.see("A", at: Double(number) * week + 80 + length)
        }
        // The stretch of 40 h lies in the fifth week back.
        #expect(observer.hours == 30)
    }

    @Test("A clock that is set back leaves no stretch of negative length and none in the future")
    func clock() throws {
        var observer = Observer()
        observer.see("A", at: 1000)
        observer.see("m", at: 1001)
        observer.see("A", at: 1020)
        try observer.restart()
        observer.see("-", at: 0)
        #expect(observer.hours == 0)
        observer.see("A", at: 1)
        #expect(observer.hours == 1)
    }
}
