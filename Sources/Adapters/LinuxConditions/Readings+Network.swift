// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension Readings {
    /// What can be reached.
    var reachability: ConditionsMerger.Finding<Reachability> {
        let restriction = networkManager.value?.restriction
        switch path {
        case .value(nil): return .init(value: .none, source: .kernel, sureness: .reported)
        case .value(.some):
            if let restriction { return .init(value: restriction, source: .networkManager, sureness: .reported) }
            return .init(value: .full, source: .kernel, sureness: .guessed)
        case .absent, .pending, .silent:
            if let restriction { return .init(value: restriction, source: .networkManager, sureness: .reported) }
            guard let reading = networkManager.value else {
                return .init(value: .unknown, source: .none, sureness: .assumed)
            }
            let isConnected = reading.primaryConnection != nil
            return .init(value: isConnected ? .full : .unknown, source: .networkManager, sureness: .guessed)
        }
    }

    /// What carries the bytes.
    var linkKind: ConditionsMerger.Finding<LinkKind> {
        guard let path = path.value.flatMap(\.self) else {
            return .init(value: .unknown, source: path.value == nil ? .none : .kernel, sureness: .assumed)
        }
        let sureness: Sureness = path.kind == .unknown ? .assumed : path.isKindGuessed ? .guessed : .reported
        return .init(value: path.kind, source: .kernel, sureness: sureness)
    }

    /// Whether bytes cost, given what carries them.
    func price(over kind: LinkKind) -> ConditionsMerger.Finding<Metered> {
        switch metered {
        case .yes, .no: return .init(value: metered ?? .unknown, source: .networkManager, sureness: .reported)
        case .guessYes, .guessNo:
            return .init(value: metered ?? .unknown, source: .networkManager, sureness: .guessed)
        case .unknown, nil: break
        }
        switch kind {
        case .cellular, .bluetooth, .usbTether: return .init(value: .guessYes, source: .rule, sureness: .guessed)
        case .ethernet, .wifi, .other, .unknown: return .init(value: .unknown, source: .rule, sureness: .assumed)
        }
    }

    /// The connection's name.
    var connection: ConditionsMerger.Finding<String?> {
        let id = networkManager.value?.connectionID
        return .init(
            value: id, source: id == nil ? .none : .networkManager, sureness: id == nil ? .assumed : .reported)
    }

    /// The interface of the default route.
    var interface: ConditionsMerger.Finding<String?> {
        let name = path.value.flatMap(\.self)?.interface
        let isAsked = path.value != nil
        return .init(value: name, source: isAsked ? .kernel : .none, sureness: isAsked ? .reported : .assumed)
    }
}
