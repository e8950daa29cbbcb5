// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// How far a transfer is and how fast it goes, as all commands write it.
extension TransferStatus {
    /// How much of it is there, as `42 %`; nil where the size is not known.
    var share: String? { total.flatMap { $0 > 0 ? "\(min(100, bytes * 100 / $0)) %" : nil } }

    /// The rate, as `1.50 MB/s`; nil where it is not known.
    var speed: String? { rate.map { "\(Formatting.bytes($0))/s" } }

    /// The rate, and the time left where the size is known; empty where nothing comes.
    var pace: [String] {
        guard let rate, rate > 0, let speed else { return [] }
        return [speed] + (total.map { ["ETA \(Formatting.span(max(0, $0 - bytes) / rate))"] } ?? [])
    }
}
