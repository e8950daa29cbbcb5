// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel

@testable import TransferDaemon

@Suite struct CompletionProgramsTests {
    private static func status(_ id: Int64, _ state: TransferStatus.State) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f", name: "f", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(secondsSinceEpoch: 1))
        (status.status, status.path) = (200, "/d/$(reboot); `x`")
        return status
    }

    private static func specification(_ words: [String]?) -> TransferSpecification {
        var specification = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: "/d", name: nil),
            traits: TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 1)))
        specification.onComplete = words
        return specification
    }

    @Test("A program starts once, with its own words only; what a server chose is in the environment")
    func starts() async {
        let calls = Mutex<[(words: [String], environment: [String: String])]>([])
        let programs = CompletionPrograms { words, environment in
            calls.withLock { $0.append((words, environment)) }
            return nil
        }
        programs.record(TransferID(1), Self.specification(["/bin/p", "a b"]))
        programs.record(TransferID(2), Self.specification(nil))
        programs.record(TransferID(3), Self.specification(["/bin/p"]))
        for status in [
            Self.status(1, .finished), Self.status(1, .finished), Self.status(2, .finished), Self.status(3, .cancelled),
        ] { #expect(await programs.transferEnded(status) == nil) }
        let made = calls.withLock { $0 }
        #expect(made.map(\.words) == [["/bin/p", "a b"]])
        #expect(
            made.first?.environment == [
                "TRANSFER_ID": "1", "TRANSFER_URL": "http://h/f", "TRANSFER_RESULT": "finished",
                "TRANSFER_STATUS": "200", "TRANSFER_PATH": "/d/$(reboot); `x`",
            ])
    }

    @Test("A failed transfer starts its program, too, and a program that cannot start is reported")
    func failures() async {
        let programs = CompletionPrograms { _, environment in environment["TRANSFER_RESULT"] }
        programs.record(TransferID(1), Self.specification(["/bin/p"]))
        #expect(await programs.transferEnded(Self.status(1, .failed)) == "failed")
    }
}
