// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("The output of 'transferctl list ID'")
struct TransferCardTests {
    private var waiting: TransferStatus {
        var status = TransferStatus(
            id: TransferID(12), url: "https://example.org/big.iso", name: "big.iso", app: "transferctl",
            isUpload: false, kind: .discretionary, priority: 500, state: .waiting,
            submitted: WallTime(secondsSinceEpoch: 43_200))
        (status.bytes, status.total) = (250_000, 1_000_000)
        status.sentence = "on battery since 14:02 (UPower) \u{2014} starts 10 s after you plug in"
        return status
    }

    private func lines(_ status: TransferStatus, _ constraints: Constraints = Constraints(), width: Int = 80)
        -> [String]
    {
        var fields = status.fields
        fields["directory"] = .string("/srv/files")
        fields["constraints"] = .dictionary(ConstraintChange(constraints).fields)
        return TransferCard(fields).lines(width: width)
    }

    @Test("Shows state, source, destination, and progress of a waiting transfer within the width of the terminal")
    func waitingOne() {
        let lines = lines(waiting, width: 60)
        #expect(lines[0] == "12  big.iso")
        #expect(lines[1] == "  state       waiting: on battery since 14:02 (UPower) \u{2014}")
        #expect(lines[2] == "              starts 10 s after you plug in")
        #expect(
            lines[3...6] == [
                "  from        https://example.org/big.iso", "  to          /srv/files",
                "  done        250.0 kB of 1.00 MB (25 %)",
                "  conditions  those of the daemon's policy",
            ])
        #expect(lines[7] == "  priority    discretionary, 500")
        #expect(lines[8].hasPrefix("  added       Thu 1 Jan ") && lines[8].hasSuffix(" by transferctl"))
        #expect(lines.count == 9)
    }

    @Test("Shows the server's status and the file of a transfer that has ended")
    func ended() {
        var status = waiting
        (status.state, status.sentence, status.error) = (.failed, nil, "the server has no such file")
        (status.status, status.attempt, status.isUpload, status.path) = (404, 2, true, "/srv/a.bin")
        let lines = lines(status)
        #expect(lines.contains("  state          failed: the server has no such file"))
        #expect(lines.contains("  to             https://example.org/big.iso"))
        #expect(lines.contains("  file           /srv/a.bin"))
        #expect(lines.contains("  server status  404"))
        #expect(lines.contains("  attempt        2"))
        #expect(!lines.contains { $0.contains("conditions") })
    }

    @Test("Without conditions, the card says that the transfer starts at once")
    func unconditional() {
        var status = waiting
        status.kind = .userInitiated
        #expect(lines(status).contains("  conditions  none; starts at once"))
        #expect(lines(status, Constraints(power: .ac)).contains("  conditions  AC power"))
    }

    @Test("Shows the transfer's own policy and the program that follows")
    func settings() {
        var fields = waiting.fields
        fields["policy"] = .string("ladder")
        fields["on-complete"] = .list([.string("/bin/echo"), .string("a b")])
        let lines = TransferCard(fields).lines(width: 80)
        #expect(lines.contains("  conditions  those of the policy ladder"))
        #expect(lines.contains("  then runs   /bin/echo a b"))
    }

    @Test("Describes constraints in words")
    func constraints() {
        var constraints = Constraints(power: .acOrBattery(above: 50), metered: .unmetered)
        constraints.linkKinds = .only([LinkKinds(.wifi), LinkKinds(.ethernet)])
        constraints.notBefore = NotBeforeConstraint(WallTime(secondsSinceEpoch: 86_400 * 20 + 43_200))
        constraints.window = WindowConstraint(
            windows: [.init(start: 3600, end: 21_660), .init(start: 518_400, end: 604_800)])
        constraints.connection = ConnectionConstraint(
            allowed: ["Home", "Attic"], denied: ["Cafe"], allowsRoaming: false)
        let text = lines(waiting, constraints, width: 400).first { $0.contains("conditions") } ?? ""
        #expect(text.contains("AC power or a battery above 50 %; "), "\(text)")
        #expect(text.contains("; Ethernet or Wi-Fi; "), "\(text)")
        #expect(text.contains("; an unmetered network; not before Wed 21 Jan "), "\(text)")
        #expect(text.contains("; within Mon 01:00-06:01; Sun 00:00-24:00; "), "\(text)")
        #expect(text.hasSuffix("; only on Attic, Home; not on Cafe; not while roaming"), "\(text)")
    }

    @Test("Removes control characters from names, and shows a response of a later version raw")
    func strange() {
        var status = waiting
        (status.name, status.app) = ("big\u{1B}[2J", "x\u{7}")
        #expect(!lines(status).joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(TransferCard(["id": .string("x"), "b": .integer(2)]).lines(width: 40).count == 2)
    }
}
