// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The progress and rate of a transfer, in the form that all commands use.
extension TransferStatus {
    /// The completed share, such as `42 %`. `nil` if the size is unknown.
    var share: String? { total.flatMap { $0 > 0 ? "\(min(100, bytes * 100 / $0)) %" : nil } }

    /// The rate, such as `1.50 MB/s`. `nil` if unknown.
    var speed: String? { rate.map { "\(Formatting.bytes($0))/s" } }

    /// The rate, and the time left if the size is known. Empty if no bytes arrive.
    var pace: [String] {
        guard let rate, rate > 0, let speed else { return [] }
        return [speed] + (total.map { ["ETA \(Formatting.span(max(0, $0 - bytes) / rate))"] } ?? [])
    }
}
