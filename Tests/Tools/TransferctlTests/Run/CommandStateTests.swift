// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel
import TransferTesting

@testable import transferctl

/// Tests of what users see of a command.
@Suite("A command's state")
struct CommandStateTests {
    @Test("Each reason is shown once, until the command starts")
    func reasons() {
        let state = CommandState(name: "restic", deadline: nil)
        #expect(state.wait(for: WaitExplanation(sentence: "on battery")) == "waiting: on battery")
        #expect(state.wait(for: WaitExplanation(sentence: "on battery")) == nil)
        #expect(state.start())
        #expect(state.change(to: "running") == nil)
        #expect(state.change(to: "frozen") == nil)
        #expect(state.wait(for: WaitExplanation(sentence: "on battery")) == "frozen: on battery")
        #expect(!state.start())
        #expect(state.change(to: "running") == "continues")
        #expect(state.change(to: "stopping") == "is being ended, because the conditions were lost")
        #expect(state.change(to: "ended") == nil)
    }

    @Test("Changes are reported with the status")
    func changes() {
        let state = CommandState(name: "restic", deadline: nil)
        let seen = Mutex<[CommandStatus.State]>([])
        state.onChange { status in seen.withLock { $0.append(status.state) } }
        _ = state.change(to: "running")
        _ = state.wait(for: WaitExplanation(sentence: "x"))
        #expect(seen.withLock(\.self) == [.waiting, .running, .running])
        #expect(state.status.explanation.sentence == "x")
    }

    @Test("Commands are listed with their reasons, and without them while they run")
    func table() {
        var waiting = CommandStatus(name: "restic", state: .frozen)
        waiting.id = 12
        waiting.explanation = WaitExplanation(
            sentence: "on battery", reasons: [WaitReasonReport(code: "onBattery", sentence: "on battery")])
        var running = CommandStatus(name: "borg", state: .running)
        (running.id, running.explanation) = (3, WaitExplanation(sentence: "running"))
        #expect(
            StatusTable([], [running, waiting], width: 60).text.split(separator: "\n") == [
                "ID   STATE      DONE  NAME", "c3   running          borg", "c12  frozen           restic",
                "     on battery",
            ])
        #expect(
            JSONLine.text(of: ["commands": [running, waiting].map(\.listed)])
                == #"{"commands":[{"id":"c3","name":"borg","state":"running"},{"id":"c12","name":"restic","sentence":"on battery","state":"frozen"}]}"#
        )
    }
}
