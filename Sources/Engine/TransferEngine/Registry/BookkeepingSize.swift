// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The size of a transfer in an app's limit: all texts of arbitrary length and the request's body, plus 64 bytes for all
/// other values and 16 bytes for each time window.
///
/// ```swift
/// let bytes = requests.reduce(0) { $0 + BookkeepingSize(of: $1.specification).bytes }
/// ```
public struct BookkeepingSize: Hashable, Sendable {
    /// The number of bytes.
    public let bytes: Int

    /// Measures a transfer.
    public init(of specification: TransferSpecification) {
        let constraints = specification.traits.constraints
        let connections = Array(constraints.connection.allowed ?? []) + Array(constraints.connection.denied)
        let texts: [String?] = [
            specification.url, specification.destination.directory, specification.destination.name,
            specification.upload?.path, specification.traits.session, specification.credential?.user,
            specification.credential?.password, specification.traits.policy,
        ]
        var sum = (texts + connections + (specification.onComplete ?? [])).reduce(64) { $0 + ($1?.utf8.count ?? 0) }
        for header in specification.headers { sum += header.name.utf8.count + header.value.utf8.count }
        for url in specification.mirrors?.urls ?? [] { sum += url.utf8.count }
        for cookie in specification.cookies ?? [] { sum += cookie.line.utf8.count }
        bytes = sum + (specification.body?.bytes.count ?? 0) + 16 * (constraints.window?.windows.count ?? 0)
    }
}
