// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite struct WatchStateTests {
    private func row(_ id: Int64, _ state: TransferStatus.State, sentence: String? = nil) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f\(id)", name: "f\(id)", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
        status.sentence = sentence
        return status
    }

    private func state(_ rows: [TransferStatus]) -> WatchState {
        var state = WatchState()
        _ = state.apply(.listed(rows))
        return state
    }

    private func press(_ key: WatchKey, _ state: inout WatchState) -> [WatchAction] { state.apply(.key(key)) }

    @Test("Sorts transfers by state: running, waiting, paused, and ended with the latest first")
    func order() {
        var state = state([row(1, .paused), row(2, .waiting), row(3, .running), row(4, .waiting)])
        for id: Int64 in [5, 6] { _ = state.apply(.changed(row(id, .finished))) }
        #expect(state.order.map(\.id.rawValue) == [3, 2, 4, 1, 6, 5])
        #expect(state.selected == TransferID(3))
    }

    @Test("Keys move the selection within the list")
    func moving() {
        var state = state([row(1, .waiting), row(2, .waiting), row(3, .waiting)])
        for (key, selected): (WatchKey, Int64) in [
            (.up, 1), (.down, 2), (.letter("j"), 3), (.down, 3), (.letter("k"), 2), (.end, 3), (.home, 1),
        ] {
            #expect(press(key, &state) == [])
            #expect(state.selected == TransferID(selected), "after \(key)")
        }
    }

    @Test("Pause, resume, and start act on the selected transfer, and cancel requires confirmation")
    func controlling() {
        var state = state([row(7, .waiting)])
        let id = TransferID(7)
        #expect(press(.letter("p"), &state) == [.control(id, .pause)])
        #expect(press(.letter("r"), &state) == [.control(id, .resume)])
        #expect(press(.letter("n"), &state) == [.control(id, .startNow)])
        #expect(press(.letter("c"), &state) == [])
        #expect(state.pane == .confirm(id))
        #expect(press(.letter("n"), &state) == [])
        #expect(state.pane == .none)
        _ = press(.letter("c"), &state)
        #expect(press(.letter("y"), &state) == [.control(id, .cancel)])
    }

    @Test("Refuses to control a transfer that has ended, with a message until the next key")
    func ended() {
        var state = state([row(1, .waiting)])
        _ = state.apply(.changed(row(1, .cancelled)))
        #expect(press(.letter("c"), &state) == [])
        #expect(state.pane == .none)
        #expect(state.message == "transfer 1 has already ended: canceled")
        _ = press(.other, &state)
        #expect(state.message == nil)
    }

    @Test("Requests the wait reasons when the pane opens, the selection moves, or conditions change")
    func why() {
        var state = state([row(1, .waiting), row(2, .waiting)])
        #expect(press(.letter("w"), &state) == [.explain(TransferID(1))])
        #expect(press(.down, &state) == [.explain(TransferID(2))])
        // A late explanation of the first transfer is ignored.
        _ = state.apply(.explained(TransferID(1), WaitExplanation(sentence: "old")))
        #expect(state.explanation == nil)
        _ = state.apply(.explained(TransferID(2), WaitExplanation(sentence: "new")))
        #expect(state.explanation?.sentence == "new")
        var conditions = DaemonStatus()
        conditions.conditions = ConditionsReport()
        #expect(state.apply(.status(conditions)) == [.refresh, .explain(TransferID(2))])
        #expect(press(.letter("w"), &state) == [])
        #expect(state.pane == .none)
    }

    @Test("Keeps the previous wait reason after a signal without one, until the state changes")
    func sentences() {
        var state = state([row(1, .waiting, sentence: "on battery")])
        #expect(state.apply(.changed(row(1, .waiting))) == [])
        #expect(state.rows[TransferID(1)]?.sentence == "on battery")
        #expect(state.apply(.changed(row(1, .running))) == [])
        #expect(state.apply(.changed(row(1, .waiting))) == [.refresh])
        #expect(state.rows[TransferID(1)]?.sentence == nil)
    }

    @Test("Removes transfers that ended unseen, and keeps those whose end was reported")
    func unseen() {
        var state = state([row(1, .running), row(2, .running)])
        _ = state.apply(.changed(row(1, .finished)))
        _ = state.apply(.listed([]))
        #expect(state.rows.keys.sorted() == [TransferID(1)])
        #expect(state.selected == TransferID(1))
    }

    @Test("Any key closes help, and q or the end of the daemon ends the view")
    func ends() {
        var state = state([])
        _ = press(.letter("?"), &state)
        #expect(state.pane == .help)
        #expect(press(.letter("x"), &state) == [])
        #expect(state.pane == .none)
        #expect(press(.letter("q"), &state) == [.quit])
        #expect(state.apply(.daemonEnded) == [.quit])
    }

    @Test("Decodes terminal keys: letters, arrows in both modes, page keys, and a single escape")
    func keys() {
        let bytes: [UInt8] = Array("q\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[1;5H\r\u{1B}[1~\u{1B}[99~".utf8)
        #expect(
            WatchKey.keys(in: bytes) == [.letter("q"), .up, .down, .pageUp, .home, .enter, .home, .other])
        #expect(WatchKey.keys(in: [0x1B]) == [.escape])
        #expect(WatchKey.keys(in: [0x1B, UInt8(ascii: "[")]) == [.other])
    }
}
