// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferPolicy

/// The policies of the daemon's engine: that of the configuration and, once a transfer names one, those of transfers.
actor DaemonPolicies {
    private let engine: TransferEngine
    private var name: String
    /// The names that transfers use. Empty until a transfer names a policy.
    private var own: Set<String> = []
    /// The maximum number of names that are parsed in advance.
    private static let maximumNames = 64

    /// Creates the policies of an engine that runs the policy `name`.
    init(engine: TransferEngine, name: String) { (self.engine, self.name) = (engine, name) }

    /// Replaces the policy of transfers that name none.
    ///
    /// - Throws: An error if there is no policy of that name. Nothing has changed then.
    func setBase(_ name: String) async throws {
        guard name != self.name else { return }
        let base = try PolicyCatalog.policy(named: name)
        self.name = name
        await engine.setPolicy(own.isEmpty ? base : MixedPolicy(base: base, names: own))
    }

    /// Lets transfers name these policies from now on. Until the first such transfer, the policy of the configuration
    /// decides alone, because a scheduler is faster with it.
    ///
    /// - Parameters:
    ///   - names: The names that transfers use.
    ///   - isAtStart: Whether the engine does not run yet, and cannot confirm the change.
    func allowOwn(_ names: some Sequence<String>, atStart isAtStart: Bool = false) async {
        let new = Set(names).subtracting(own)
        guard !new.isEmpty, own.isEmpty || own.count + new.count <= Self.maximumNames,
            let base = try? PolicyCatalog.policy(named: name)
        else { return }
        own.formUnion(new.sorted().prefix(Self.maximumNames))
        let policy = MixedPolicy(base: base, names: own)
        if isAtStart { engine.requestPolicy(policy) } else { await engine.setPolicy(policy) }
    }
}
