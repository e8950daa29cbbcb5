// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import HostileServer
import TransferEngine
import TransferModel

@testable import HTTPExecutor

private let segmented = ServedFile(bytes: ServedFile.content(6_500_000))

/// A suite that downloads a large file over several connections.
protocol SegmentedDownloads {}

extension SegmentedDownloads {
    /// The file, which is large enough for four connections.
    static var file: ServedFile { segmented }

    func specification(_ fixture: ExecutorFixture, _ server: HostileServer, connections: Int = 4)
        -> TransferSpecification
    {
        var specification = fixture.specification(server.url("/f"))
        specification.connections = connections
        return specification
    }

    /// Returns whether the file is complete. A comparison in `#expect` would print both files.
    func isRight(_ fixture: ExecutorFixture, _ outcome: ExecutorOutcome, _ file: ServedFile = Self.file) -> Bool {
        fixture.contents(outcome) == file.bytes
    }

    /// Returns the requested ranges that have a last byte.
    func ranges(_ requests: some Sequence<HostileRequest>) -> [Range<Int>] {
        requests.compactMap { $0.range.flatMap { range in range.last.map { range.first..<$0 + 1 } } }
    }
}
