// SPDX-License-Identifier: Apache-2.0

/// Tolerances for a machine that is busy with other tests.
enum Tolerance {
    /// The number of seconds by which an action may be late. The benchmarks keep the delays of a quiet machine.
    static let seconds = 4.0
}
