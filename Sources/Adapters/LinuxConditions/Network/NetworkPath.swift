// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The way to the internet that the kernel would take now.
struct NetworkPath: Hashable, Sendable {
    /// One interface on the way.
    struct Device: Hashable, Sendable {
        var name: String
        var index: Int32
    }

    /// The interface of the default route.
    var interface: String
    /// What carries the bytes in the end.
    var kind: LinkKind
    /// Whether `kind` was concluded: through a tunnel, or from a driver that serves several kinds.
    var isKindGuessed = false
    /// The interface's index.
    var index: Int32 = 0
    /// Whether the interface is a tunnel.
    var isTunnel = false
    /// What lies below the interface, from the next to the one that carries the bytes; empty where it carries them
    /// itself.
    var below: [Device] = []

    /// How often the carriers on the way have come and gone: what has the same name may be another network by then.
    var carrierChanges: UInt64 = 0

    /// The interface and all below it.
    var devices: [Device] { [Device(name: interface, index: index)] + below }
}
