// SPDX-License-Identifier: Apache-2.0

/// A source of energy prices: a local file, or a command that the user has chosen. Nothing else is read, and no location
/// is given to anyone.
///
/// Both give CSV text in the form that `PriceForecasts(csv:file:)` of the module `TransferPolicy` reads.
///
/// ```swift
/// configuration.prices = .file("/etc/tariff.csv")
/// ```
public enum PriceSource: Hashable, Sendable {
    /// A file with an absolute path. Read at the start, after each change, and when its prices end.
    case file(String)
    /// A program and its arguments, which run without a shell. The first element is an absolute path, or a name that is
    /// looked up in `PATH`. Runs at the start, every hour, and when its prices end; ended after 30 s.
    case command([String])

    /// The name of the source in errors.
    var name: String {
        switch self {
        case .file(let path): path
        case .command(let words): "the output of '\(words.joined(separator: " "))'"
        }
    }
}
