// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    /// The reachability that NetworkManager reports, or the portal if NetworkManager is unavailable; nil if the
    /// service reports no limit (NetworkManager) or no value (portal).
    private var serviceReachability: ConditionsMerger.Finding<Reachability>? {
        if let reading = networkManager.value {
            return reading.restriction.map { .init(value: $0, source: .networkManager, sureness: .reported) }
        }
        return portal.value?.reachability.map { .init(value: $0, source: .portal, sureness: .reported) }
    }

    /// The part of the network that can be reached.
    var reachability: ConditionsMerger.Finding<Reachability> {
        switch path {
        case .value(nil): return .init(value: .none, source: .kernel, sureness: .reported)
        case .value(.some):
            return serviceReachability ?? .init(value: .full, source: .kernel, sureness: .guessed)
        case .absent, .pending, .silent:
            if let finding = serviceReachability { return finding }
            guard let reading = networkManager.value else {
                return .init(value: .unknown, source: .none, sureness: .assumed)
            }
            let isConnected = reading.primaryConnection != nil
            return .init(value: isConnected ? .full : .unknown, source: .networkManager, sureness: .guessed)
        }
    }

    /// The kind of link that carries the traffic. Reported by the kernel, or by NetworkManager if the kernel cannot
    /// tell.
    var linkKind: ConditionsMerger.Finding<LinkKind> {
        let kernel = path.value.flatMap(\.self)
        // Without a path, there is no link that could have a kind.
        if path != .value(nil), kernel?.kind ?? .unknown == .unknown, let kind = networkManager.value?.primaryKind {
            return .init(value: kind, source: .networkManager, sureness: .reported)
        }
        guard let kernel else {
            return .init(value: .unknown, source: path.value == nil ? .none : .kernel, sureness: .assumed)
        }
        let sureness: Sureness = kernel.kind == .unknown ? .assumed : kernel.isKindGuessed ? .guessed : .reported
        return .init(value: kernel.kind, source: .kernel, sureness: sureness)
    }

    /// The name of the connection.
    var connection: ConditionsMerger.Finding<String?> {
        let id = networkManager.value?.connectionID
        return .init(
            value: id, source: id == nil ? .none : .networkManager, sureness: id == nil ? .assumed : .reported)
    }

    /// The interface of the default route.
    var interface: ConditionsMerger.Finding<String?> { device(path.value.flatMap(\.self)?.interface) }

    /// The device that carries the traffic, if it differs from the interface.
    var underlay: ConditionsMerger.Finding<String?> { device(path.value.flatMap(\.self)?.below.last?.name) }

    private func device(_ name: String?) -> ConditionsMerger.Finding<String?> {
        let isAsked = path.value != nil
        return .init(value: name, source: isAsked ? .kernel : .none, sureness: isAsked ? .reported : .assumed)
    }
}
