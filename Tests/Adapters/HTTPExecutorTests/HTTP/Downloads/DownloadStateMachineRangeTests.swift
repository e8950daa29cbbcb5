// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct DownloadStateMachineRangeTests {
    @Test(
        "A restart says whether the file changed or the server cannot resume",
        arguments: [
            ("\"b\"", .fileChanged), ("\"a\"", .notResumable), ("W/\"a\"", .notResumable), (nil, .notResumable),
        ] as [(String?, RestartCause)])
    func restartCause(tag: String?, cause: RestartCause) {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\""))
        talk.start()
        talk.head(200, ["Content-Length": "300", "ETag": tag].compactMapValues(\.self))
        #expect(talk.lines.contains("startOver"))
        #expect(talk.restartCause == cause)
    }

    @Test("A partial file without a version is not resumed")
    func resumeWithoutVersion() {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300))
        talk.start()
        #expect(talk.lines == ["startOver", "ask bytes=0-9"])
    }
}
