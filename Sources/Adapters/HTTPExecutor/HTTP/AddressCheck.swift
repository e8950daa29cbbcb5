// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferFiles

/// A check of a redirect's target by its addresses, after ``RedirectRule`` has accepted its name.
///
/// A public server must not lead to this machine or its network by a name of its own. In a network whose names have
/// local addresses, a redirect from one such name to another is allowed.
package struct AddressCheck: Hashable, Sendable {
    /// The code of the error for a target that fails the check. The other codes are negative.
    package static let errorCode = 1

    /// The host of the transfer's own URL.
    let first: String
    /// The host of the redirect's target.
    let target: String

    /// Resolves the names. This may take as long as the resolver's timeout.
    ///
    /// - Returns: Whether the request may be sent. Its connection looks the name up again.
    package func passes() -> Bool { !LocalHost.resolves(target) || LocalHost.resolves(first) }

    /// Resolves the name of the transfer's own host. This may take as long as the resolver's timeout.
    ///
    /// - Returns: Whether the target may have a local address.
    package func startsLocally() -> Bool { LocalHost.resolves(first) }
}

extension RequestPlan {
    /// Returns the check of a request without a proxy, or `nil` if the names alone decide.
    func addressCheck(of url: String) -> AddressCheck? {
        let (first, target) = (URLReference(self.url).host, URLReference(url).host)
        guard !allowsLocalRedirect, target != first, ![first, target].contains(where: LocalHost.contains) else {
            return nil
        }
        return AddressCheck(first: first, target: target)
    }
}

extension ExecutorEnvironment {
    /// Returns the check of a request's addresses, or `nil` if none is needed.
    func addressCheck(of url: String, _ plan: RequestPlan) -> AddressCheck? {
        proxy(for: url) == nil ? plan.addressCheck(of: url) : nil
    }
}
