// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite struct WatchScreenTests {
    private func row(
        _ id: Int64, _ state: TransferStatus.State, _ name: String = "file.iso",
        _ change: (inout TransferStatus) -> Void = { _ in }
    ) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f", name: name, app: "person", isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
        change(&status)
        return status
    }

    private func lines(_ state: WatchState, width: Int = 80, height: Int = 24) -> [String] {
        let lines = WatchScreen(state: state, width: width, height: height).lines
        #expect(lines.count <= height)
        return lines.map(\.plain)
    }

    private static func fact(_ value: String) -> VariantValue { .dictionary(["value": .string(value)]) }

    @Test("Shows conditions at the top, transfers below their reasons, the selected one, and keys at the bottom")
    func whole() throws {
        var state = WatchState()
        _ = state.apply(
            .status(
                try DaemonStatus([
                    "Conditions": .dictionary([
                        "power": Self.fact("battery"), "network": Self.fact("full"), "linkKind": Self.fact("wifi"),
                        "metered": Self.fact("guessNo"), "connection": Self.fact("Home"),
                        "battery": .dictionary(["level": .integer(48), "charging": .string("discharging")]),
                    ]), "Held": .dictionary(["reason": .string("a call")]),
                ])))
        _ = state.apply(
            .listed([
                row(3, .running) { ($0.bytes, $0.total, $0.rate) = (500, 1000, 100) },
                row(12, .waiting, "other.bin") { $0.sentence = "on battery" },
            ]))
        let lines = lines(state)
        #expect(lines.count == 24)
        #expect(lines[0] == "1 running · 1 waiting · 100 B/s")
        #expect(lines[1] == "Power battery 48 %   Network Wi-Fi “Home”, probably unmetered")
        #expect(lines[2] == "On hold: a call, until 'transferctl release'")
        #expect(lines[4] == "running")
        let space = String(repeating: " ", count: 27)
        #expect(lines[5] == "> 3  file.iso\(space)████████░░░░░░░░ 50 %  100 B/s  ETA 0:05")
        #expect(lines[6] == "waiting: on battery")
        #expect(lines[7].hasPrefix("  12 other.bin  "))
        #expect(lines[19] == String(repeating: "─", count: 80))
        #expect(lines[20...22] == ["file.iso", "from http://h/f", "500 B of 1.00 kB, 100 B/s, ETA 0:05"])
        #expect(lines[23] == "↑↓  p pause  r resume  n now  c cancel  H release  q quit")
    }

    @Test("Draws no line wider than the window, down to 20 columns, for any file name")
    func narrow() {
        var state = WatchState()
        let name = "日本語のとても長い名前の\u{1B}[31mファイル.tar.gz"
        _ = state.apply(
            .listed([
                row(1, .running, name) { ($0.bytes, $0.total, $0.rate) = (7_000_000, 9_000_000_000, 12_345_678) },
                row(2, .failed, name) { $0.error = String(repeating: "long ", count: 60) },
            ]))
        for width in [20, 40, 79, 80, 200] {
            for line in WatchScreen(state: state, width: width, height: 24).lines {
                var plain = ScreenLine(line.plain)
                plain.isSelected = false
                // Without colors, the drawn text is exactly the visible text.
                #expect(Formatting.columns(Formatting.fitted(line.plain, width: width)) <= width)
                #expect(!line.drawn(width: width).contains("\u{1B}[31mフ"), "a name controls the terminal")
            }
        }
    }

    @Test("Shows the transfers around the selection if not all fit")
    func scrolling() {
        var state = WatchState()
        _ = state.apply(.listed((1...100).map { row($0, .waiting, "f\($0)") }))
        #expect(lines(state, height: 12).contains { $0.hasPrefix("> 1 ") })
        for _ in 0..<49 { _ = state.apply(.key(.down)) }
        let middle = lines(state, height: 14)
        #expect(middle.contains { $0.hasPrefix("> 50 ") })
        #expect(middle.contains { $0.hasPrefix("  49 ") } && middle.contains { $0.hasPrefix("  51 ") })
        _ = state.apply(.key(.end))
        let end = lines(state, height: 12)
        #expect(end.contains { $0.hasPrefix("> 100 ") })
    }

    @Test("Transfers that wait for the same reason are below it, and the reason and the selected one are never cut")
    func reasons() {
        let remedy = "on battery (61 %) since 14:02 (UPower) — starts 10 s after you plug in the charger of the machine"
        let name = String(repeating: "long-name-", count: 15)
        for width in [40, 60, 80, 120] {
            var state = WatchState()
            _ = state.apply(
                .listed(
                    (1...40).map { id in
                        row(id, .waiting, name) { $0.sentence = id == 20 ? "no network" : remedy }
                    }))
            func text(_ part: ArraySlice<String>) -> String {
                part.map { $0.trimmingPrefix(while: { $0 == " " }) }.joined(separator: " ")
            }
            for key in [WatchKey.home, .pageDown, .end] {
                _ = state.apply(.key(key))
                let lines = lines(state, width: width)
                #expect(lines.allSatisfy { Formatting.columns($0) <= width })
                #expect(text(lines[...]).replacing("waiting: ", with: "").ranges(of: remedy).count <= 1)
                guard state.selected != TransferID(20) else { continue }
                #expect(text(lines[...]).contains("waiting: " + remedy), "\(width): \(lines)")
                #expect(lines.joined().contains(name), "\(width): \(lines)")
                #expect(lines.contains { $0.hasPrefix("> ") })
            }
        }
    }

    @Test("A question, an error, and the keys are in full at the bottom")
    func foot() {
        var state = WatchState()
        _ = state.apply(.listed([row(1, .waiting)]))
        for width in [40, 60, 80] {
            #expect(lines(state, width: width).suffix(2).joined(separator: " ").contains("c cancel  H hold  q quit"))
        }
        _ = state.apply(.key(.letter("c")))
        #expect(lines(state).last == "Cancel 1 file.iso and delete its partial file? y/n")
        _ = state.apply(.key(.letter("n")))
        _ = state.apply(.refused("no"))
        #expect(lines(state).last == "no")
    }

    @Test("Fits into a window of few rows")
    func low() {
        var state = WatchState()
        _ = state.apply(.listed((1...9).map { row($0, .waiting) }))
        for height in 1...10 { #expect(lines(state, height: height).count <= height) }
    }
}
