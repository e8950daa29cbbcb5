// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    /// The reachability that NetworkManager reports, or the portal if NetworkManager is unavailable; `nil` if the
    /// service reports no limit (NetworkManager) or no value (portal).
    private var serviceReachability: ConditionsMerger.ObservedValue<Reachability>? {
        if let reading = networkManager.value {
            return reading.restriction.map { .init(value: $0, source: .networkManager, confidence: .reported) }
        }
        return portal.value?.reachability.map { .init(value: $0, source: .portal, confidence: .reported) }
    }

    /// The part of the network that can be reached.
    var reachability: ConditionsMerger.ObservedValue<Reachability> {
        switch path {
        case .value(nil): return .init(value: .none, source: .kernel, confidence: .reported)
        case .value(.some):
            return serviceReachability ?? .init(value: .full, source: .kernel, confidence: .guessed)
        case .absent, .pending, .silent:
            if let observed = serviceReachability { return observed }
            guard let reading = networkManager.value else {
                return .init(value: .unknown, source: .none, confidence: .assumed)
            }
            let isConnected = reading.primaryConnection != nil
            return .init(value: isConnected ? .full : .unknown, source: .networkManager, confidence: .guessed)
        }
    }

    /// The kind of link that carries the traffic. Reported by the kernel, or by NetworkManager if the kernel cannot
    /// tell.
    var linkKind: ConditionsMerger.ObservedValue<LinkKind> {
        let kernel = path.value.flatMap(\.self)
        // Without a path, there is no link that could have a kind.
        if path != .value(nil), kernel?.kind ?? .unknown == .unknown, let kind = networkManager.value?.primaryKind {
            return .init(value: kind, source: .networkManager, confidence: .reported)
        }
        guard let kernel else {
            return .init(value: .unknown, source: path.value == nil ? .none : .kernel, confidence: .assumed)
        }
        let confidence: Confidence = kernel.kind == .unknown ? .assumed : kernel.isKindGuessed ? .guessed : .reported
        return .init(value: kernel.kind, source: .kernel, confidence: confidence)
    }

    /// The name of the connection.
    var connection: ConditionsMerger.ObservedValue<String?> {
        let id = networkManager.value?.connectionID
        return .init(
            value: id, source: id == nil ? .none : .networkManager, confidence: id == nil ? .assumed : .reported)
    }

    /// The interface of the default route.
    var interface: ConditionsMerger.ObservedValue<String?> { device(path.value.flatMap(\.self)?.interface) }

    /// The device that carries the traffic, if it differs from the interface.
    var underlay: ConditionsMerger.ObservedValue<String?> { device(path.value.flatMap(\.self)?.below.last?.name) }

    private func device(_ name: String?) -> ConditionsMerger.ObservedValue<String?> {
        let isQueried = path.value != nil
        return .init(value: name, source: isQueried ? .kernel : .none, confidence: isQueried ? .reported : .assumed)
    }
}
