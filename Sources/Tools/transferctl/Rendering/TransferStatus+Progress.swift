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

    /// Returns the share, the bytes, the rate, and the time left, as far as they fit. The bytes are left out first, then
    /// the rate.
    func numbers(withBytes showsBytes: Bool, width: Int) -> String {
        let share = share ?? Formatting.bytes(bytes)
        let size = total.map { ["\(Formatting.bytes(bytes))/\(Formatting.bytes($0))"] } ?? []
        let choices = (showsBytes ? [[share] + size + pace] : []) + [[share] + pace, [share] + pace.suffix(1)]
        return choices.map { $0.joined(separator: "  ") }.first { Formatting.columns($0) <= width } ?? share
    }
}
