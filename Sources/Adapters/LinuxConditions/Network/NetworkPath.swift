// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The path to the internet that the kernel would currently choose.
struct NetworkPath: Hashable, Sendable {
    /// An interface on the path.
    struct Device: Hashable, Sendable {
        var name: String
        var index: Int32
    }

    /// The name of the default route's interface.
    var interface: String
    /// The kind of the link that ultimately carries the traffic.
    var kind: LinkKind
    /// Whether `kind` was inferred: through a tunnel, or from a driver that serves several kinds.
    var isKindGuessed = false
    /// The index of the default route's interface.
    var index: Int32 = 0
    /// Whether the default route's interface is a tunnel.
    var isTunnel = false
    /// The links below the interface, from the next one to the one that carries the traffic. Empty if the interface
    /// itself carries the traffic.
    var below: [Device] = []

    /// The number of carrier changes on the path. After a change, a link of the same name may lead to another network.
    var carrierChanges: UInt64 = 0

    /// The interface and all links below it.
    var devices: [Device] { [Device(name: interface, index: index)] + below }
}
