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

    @Test("Sorts transfers by state and reason: running, waiting, paused, and ended with the latest first")
    func order() {
        var state = state([
            row(1, .paused), row(2, .waiting, sentence: "on battery"), row(3, .running),
            row(4, .waiting, sentence: "no network"), row(7, .waiting, sentence: "on battery"),
        ])
        for id: Int64 in [5, 6] { _ = state.apply(.changed(row(id, .finished))) }
        #expect(state.order.map(\.id.rawValue) == [3, 2, 7, 4, 1, 6, 5])
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
        #expect(state.confirming == id)
        #expect(press(.letter("n"), &state) == [])
        #expect(state.confirming == nil)
        _ = press(.letter("c"), &state)
        #expect(press(.letter("y"), &state) == [.control(id, .cancel)])
    }

    @Test("Refuses to control a transfer that has ended, with a message until the next key")
    func ended() {
        var state = state([row(1, .waiting)])
        _ = state.apply(.changed(row(1, .cancelled)))
        #expect(press(.letter("c"), &state) == [])
        #expect(state.confirming == nil)
        #expect(state.message == "transfer 1 has already ended: canceled")
        _ = press(.other, &state)
        #expect(state.message == nil)
    }

    @Test("H holds and releases everything, and r submits a failed or canceled transfer again")
    func actions() throws {
        var state = state([row(1, .failed)])
        #expect(press(.letter("H"), &state) == [.hold(true)])
        #expect(press(.letter("r"), &state) == [.retry(TransferID(1))])
        var status = DaemonStatus()
        status.held = try HoldStatus(["reason": .string("")])
        #expect(state.apply(.status(status)) == [])
        #expect(press(.letter("H"), &state) == [.hold(false)])
        _ = state.apply(.performed("submitted again as 2"))
        #expect(state.message == "submitted again as 2" && !state.isError)
        _ = state.apply(.refused("no"))
        #expect(state.isError)
        state = self.state([row(2, .paused)])
        #expect(press(.letter("r"), &state) == [.control(TransferID(2), .resume)])
    }

    @Test("Requests the wait reasons again if the machine's conditions change")
    func refresh() {
        var state = state([row(1, .waiting)])
        #expect(state.apply(.status(DaemonStatus())) == [.refresh])
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

    @Test("q or the end of the daemon ends the view")
    func ends() {
        var state = state([])
        #expect(press(.letter("q"), &state) == [.quit])
        #expect(state.apply(.daemonEnded) == [.quit])
    }

    @Test("Decodes terminal keys: letters beyond ASCII, arrows in both modes, and page keys")
    func keys() {
        let bytes: [UInt8] = Array("q\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[1;5H\r\u{1B}[1~\u{1B}[99~".utf8)
        #expect(
            WatchKey.keys(in: bytes) == [.letter("q"), .up, .down, .pageUp, .home, .other, .home, .other])
        #expect(WatchKey.keys(in: [0x1B, 0x7F, 0xFF]) == [.other, .other, .other])
        #expect(WatchKey.keys(in: Array("é日".utf8)) == [.letter("é"), .letter("日")])
        #expect(WatchKey.keys(in: [0x1B, UInt8(ascii: "[")]) == [.other])
    }
}
