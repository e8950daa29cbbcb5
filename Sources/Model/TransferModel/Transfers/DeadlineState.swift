// SPDX-License-Identifier: Apache-2.0

/// The outlook of a transfer on its deadline. Each state is reported once.
public enum DeadlineState: String, Hashable, Sendable, Codable, CaseIterable {
    /// The transfer can no longer finish by its deadline at the estimated rate.
    case atRisk
    /// The deadline has passed, and the transfer has not ended.
    case missed
}
