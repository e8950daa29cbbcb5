// SPDX-License-Identifier: Apache-2.0
import HostileServer
import TransferModel
import TransferPolicy

/// The files of the server, derived from their paths. All files are slices of one shared content.
struct StressContent: Sendable {
    private let all = ServedFile.content(4 << 20, seed: 42)
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    func bytes(_ path: String) -> ArraySlice<UInt8> { all[shape(path).range] }

    /// Returns the pause after each block of the file, in microseconds.
    func pause(_ path: String) -> UInt32 { shape(path).pause }

    /// Returns the slice and the pause for a path.
    ///
    /// Sizes are zero, small, or large enough to take many writes and several time slices.
    private func shape(_ path: String) -> (range: Range<Int>, pause: UInt32) {
        var generator = SplitMix64(seed: path.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        let uploadProtocol = UploadProtocol(path: path)
        let maximum: Int =
            switch (Int.random(in: 0..<10, using: &generator), uploadProtocol) {
            case (0, _): 0
            case (1...5, nil), (1...3, _?): 20_000
            case (6...8, nil): 300_000
            // A transfer that starts over must be able to finish between two daemon deaths.
            case (_, nil), (_, .put?): 1 << 20
            case (_, .draft?), (_, .tus?): 4 << 20
            }
        let size = maximum == 0 ? 0 : Int.random(in: 1...maximum, using: &generator)
        let start = Int.random(in: 0...(all.count - size), using: &generator)
        let step: UInt32 = uploadProtocol == nil || uploadProtocol == .put ? 2_000 : 4_000
        return (start..<start + size, UInt32.random(in: 0...4, using: &generator) * step)
    }
}
