// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Replay of recordings")
struct RecordingsTests {
    /// Whether `RENEW_RECORDINGS` is set. If so, the published conditions in the recordings are rewritten; review the
    /// difference before committing it.
    private static let renews = ProcessInfo.processInfo.environment["RENEW_RECORDINGS"] != nil

    @Test(
        "Each recording replays with the recorded conditions and the expectations of its header",
        arguments: RecordedRun.names)
    func recording(name: String) throws {
        let run = try RecordedRun(name)
        let replay: ConditionsReplay
        if Self.renews {
            replay = try ConditionsReplay(run.bytes, file: name, ignoresPublished: true)
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Recordings/"
            try Data(replay.renewed.utf8).write(to: URL(fileURLWithPath: folder + (RecordedRun.paths[name] ?? name)))
        } else {
            replay = try ConditionsReplay(run.bytes, file: name)
        }
        #expect(!replay.isCutShort)
        #expect(!replay.published.isEmpty, "\(run.says)")
        let sequences = RecordedRun.sequences(replay.published)
        for (fact, expected) in run.expected.sorted(by: { $0.key < $1.key }) {
            #expect(sequences[fact] == expected, "\(fact): \(run.says) (\(run.source))")
        }
        if let atMost = run.atMost { #expect(replay.published.count <= atMost, "\(run.says)") }
    }

    @Test("A change to a less costly value counts only after the debounce", arguments: RecordedRun.names)
    func cheaperLater(name: String) throws {
        let published = try ConditionsReplay(try RecordedRun(name).bytes, file: name).published
        for (former, next) in zip(published, published.dropFirst()) {
            // Two successive prices of the same network, as NetworkManager reports them.
            let prices = (former.metered, next.metered)
            if [.yes, .guessYes].contains(prices.0.value), ![.yes, .guessYes].contains(prices.1.value),
                prices.0.source == .networkManager, prices.0.isObservedChange
            {
                #expect(prices.0.since.instant.duration(to: prices.1.since.instant) >= .milliseconds(150))
            }
            if former.network.value == .none, next.network.value != .none {
                #expect(former.network.since.instant.duration(to: next.network.since.instant) >= .milliseconds(50))
            }
        }
    }

    @Test("There are at least twenty recordings, each with a source")
    func folder() throws {
        #expect(RecordedRun.names.count >= 20)
        for name in RecordedRun.names {
            let run = try RecordedRun(name)
            #expect(!run.source.isEmpty && !run.says.isEmpty && !run.expected.isEmpty, "\(name)")
        }
    }
}
