// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

// FoundationNetworking's request cannot store these properties, and each copy drops the properties that URLProtocol
// adds. A header field with a blank value stores them. libcurl never sends a field with a blank value.
extension URLRequest {
    static let networksField = "Background-Transfer-Networks"
    private static let refusal = (expensive: 1, constrained: 2)

    /// A Boolean value that indicates whether the request may use networks that charge by the byte.
    ///
    /// The default is `true`. Has an effect only in a background session.
    public var allowsExpensiveNetworkAccess: Bool {
        get { refusals & Self.refusal.expensive == 0 }
        set { refuse(Self.refusal.expensive, !newValue) }
    }

    /// A Boolean value that indicates whether the request may use networks on which the user wants to save data.
    ///
    /// The default is `true`. Has an effect only in a background session.
    public var allowsConstrainedNetworkAccess: Bool {
        get { refusals & Self.refusal.constrained == 0 }
        set { refuse(Self.refusal.constrained, !newValue) }
    }

    /// The sum of the refused networks' values. The field contains this number of spaces.
    private var refusals: Int { value(forHTTPHeaderField: Self.networksField)?.utf8.count ?? 0 }

    private mutating func refuse(_ networks: Int, _ isRefused: Bool) {
        let sum = isRefused ? refusals | networks : refusals & ~networks
        setValue(sum == 0 ? nil : String(repeating: " ", count: sum), forHTTPHeaderField: Self.networksField)
    }
}
