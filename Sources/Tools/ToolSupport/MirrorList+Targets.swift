// SPDX-License-Identifier: Apache-2.0
package import TransferFiles
package import TransferModel

extension MirrorList {
    /// Validates the other URLs of a file and adds them to its specification, whose own URL and traits are set.
    ///
    /// - Throws: `UsageError` that says what is wrong with a URL.
    package static func add(_ texts: [String], to specification: inout TransferSpecification, proxies: ProxyRule) throws
    {
        guard texts.count <= maximumCount else {
            throw UsageError("\(texts.count) mirrors are too many; name at most \(maximumCount)")
        }
        let targets = try texts.map { try TransferTarget($0, proxies: proxies) }
        specification.mirrors = targets.isEmpty ? nil : MirrorList(targets.map(\.url))
        // If one of the servers is elsewhere, the conditions of the network apply.
        specification.traits.isLoopback = specification.traits.isLoopback && targets.allSatisfy(\.isLoopback)
    }
}
