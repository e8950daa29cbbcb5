// SPDX-License-Identifier: Apache-2.0
import LinuxConditions
import ToolSupport
import TransferModel
import TransferPolicy

extension GetPlan {
    /// Returns the user's source of prices if a condition or the policy depends on prices. `nil` otherwise, because the
    /// source may be a command.
    ///
    /// - Throws: `UsageError` if a condition requires prices and there is no source, or if the daemon's configuration
    ///   is invalid.
    func prices() throws -> PriceSource? {
        let isRequired = items.contains { $0.specification.traits.constraints.price != nil }
        guard isRequired || policy is PricePolicy else { return nil }
        let source = try DaemonConfiguration.userPrices()
        if isRequired, source == nil, assumptions?.price == nil {
            throw DaemonConfiguration.missingPrices(for: "--when price<N")
        }
        return source
    }
}
