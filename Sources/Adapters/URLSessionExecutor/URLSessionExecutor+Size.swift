// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension URLSessionExecutor {
    /// Asks the server for the size of a download, by the method HEAD. Redirects are followed.
    ///
    /// The request carries the header fields of the transfer, but no credential.
    ///
    /// - Parameters:
    ///   - specification: The download.
    ///   - timeoutSeconds: The time in seconds after which the size counts as unknown.
    /// - Returns: The size in bytes, or `nil` if the server does not report it in time.
    public func size(of specification: TransferSpecification, timeoutSeconds: Int = 5) async -> Int64? {
        guard specification.upload == nil, specification.body == nil else { return nil }
        return await withCheckedContinuation { continuation in
            let probe = SizeProbe(specification, timeoutSeconds: timeoutSeconds, environment: environment) {
                continuation.resume(returning: $0)
            }
            probe.dispatch { $0.begin() }
        }
    }
}
