// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel

@testable import transferctl

@Suite("The keys of watch that hold, retry, open, sort, and filter")
struct WatchKeysTests {
    private func row(
        _ id: Int64, _ state: TransferStatus.State, _ name: String? = nil, bytes: Int64 = 0
    ) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/\(name ?? "f\(id)")", name: name ?? "f\(id)", app: "person",
            isUpload: false, kind: .normal, priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
        (status.total, status.path) = (bytes, state == .finished ? "/d/f\(id)" : nil)
        return status
    }

    private func state(_ rows: [TransferStatus]) -> WatchState {
        var state = WatchState()
        _ = state.apply(.listed(rows))
        return state
    }

    private func press(_ keys: String, _ state: inout WatchState) -> [WatchAction] {
        keys.flatMap { state.apply(.key(.letter($0))) }
    }

    private func lines(_ state: WatchState, width: Int = 80) -> [String] {
        WatchScreen(state: state, width: width, height: 30).lines.map(\.plain)
    }

    @Test("H and R hold and release everything, and r submits a failed or canceled transfer again")
    func actions() {
        var state = state([row(1, .failed)])
        #expect(press("HRr", &state) == [.hold, .release, .retry(TransferID(1))])
        _ = state.apply(.performed("submitted again as 2"))
        #expect(state.message == "submitted again as 2" && !state.isError)
        _ = state.apply(.refused("no"))
        #expect(state.isError)
        state = self.state([row(2, .paused)])
        #expect(press("r", &state) == [.control(TransferID(2), .resume)])
    }

    @Test("o opens the file of a finished download only")
    func opening() {
        var state = state([row(1, .finished)])
        #expect(press("o", &state) == [.open(path: "/d/f1")])
        state = self.state([row(2, .running)])
        #expect(press("o", &state) == [])
        #expect(state.message == "transfer 2 has no finished file to open")
    }

    @Test("s steps through the orders, and the screen names the order")
    func sorting() {
        var state = state([
            row(1, .waiting, "b", bytes: 1), row(2, .running, "C", bytes: 2), row(3, .waiting, "a", bytes: 3),
        ])
        var orders: [[Int64]] = [state.order.map(\.id.rawValue)]
        for _ in 0..<4 {
            _ = press("s", &state)
            orders.append(state.order.map(\.id.rawValue))
        }
        #expect(orders == [[2, 1, 3], [1, 2, 3], [3, 1, 2], [3, 2, 1], [2, 1, 3]])
        _ = press("s", &state)
        #expect(lines(state).contains("Shown: sorted by date of submission"))
    }

    @Test("/ filters by name, URL, or state while typing, also with wide letters; Escape shows all")
    func filtering() {
        var state = state([row(1, .waiting, "日本語.iso"), row(2, .paused, "big file"), row(3, .waiting, "other")])
        _ = press("/日", &state)
        #expect(state.order.map(\.id.rawValue) == [1])
        #expect(state.selected == TransferID(1))
        #expect(lines(state).last?.hasPrefix("Filter: 日") == true)
        _ = state.apply(.key(.backspace))
        // Letters are text while the filter is typed.
        #expect(press("BIG f", &state) == [])
        #expect(state.order.map(\.id.rawValue) == [2])
        // The head counts all transfers.
        #expect(lines(state).contains { $0.contains("2 waiting · 1 paused") })
        _ = state.apply(.key(.enter))
        #expect(state.pane == .none && lines(state).contains("Shown: only “BIG f”"))
        _ = state.apply(.key(.escape))
        #expect(state.order.count == 3)
        _ = press("/paused", &state)
        #expect(state.order.map(\.id.rawValue) == [2])
        _ = state.apply(.key(.escape))
        #expect(state.order.count == 3 && state.pane == .none)
    }

    @Test("Recognizes spaces, backspace, and letters beyond ASCII")
    func input() {
        #expect(WatchKey.keys(in: Array("a é日".utf8)) == [.letter("a"), .letter(" "), .letter("é"), .letter("日")])
        #expect(WatchKey.keys(in: [0x7F, 0x08, 0xC3, 0xFF]) == [.backspace, .backspace, .other, .other])
    }

    @Test("From 40 columns on, each line fits, the time left stays, and the keys end with help and quit")
    func narrow() throws {
        var running = row(1, .running, "日本語のとても長い名前.iso")
        (running.bytes, running.total, running.rate) = (500_000_000, 1_000_000_000, 1_000_000)
        var state = state([running, row(2, .paused), row(3, .failed)])
        _ = state.apply(.status(DaemonStatus()))
        for width in [40, 59, 60, 80, 120, 200] {
            let screen = WatchScreen(state: state, width: width, height: 24).lines
            for line in screen { #expect(Formatting.columns(Formatting.fitted(line.plain, width: width)) <= width) }
            let progress = try #require(screen.first { $0.plain.hasPrefix("> 1") })
            #expect(Formatting.columns(progress.plain) <= width && progress.plain.contains("ETA 8:20"), "\(width)")
            #expect(screen.last?.plain.hasSuffix("? help  q quit") == true)
            _ = state.apply(.key(.letter("?")))
            let help = WatchScreen(state: state, width: width, height: 30).lines
            let keys = help.drop { !$0.plain.hasPrefix("── keys") }.dropLast()
            #expect(keys.count > 6 && keys.allSatisfy { Formatting.columns($0.plain) <= width }, "\(width)")
            _ = state.apply(.key(.escape))
        }
    }
}
