// SPDX-License-Identifier: Apache-2.0
import CGIO

/// Objects below one path that are registered all at once: ten thousand of them cost what one costs.
package struct BusTree {
    /// The path that they lie below, without one at its end.
    package var path: String
    /// Their interface.
    package var interface: String
    /// A D-Bus introspection document that describes the interface.
    package var xml: String
    /// The objects' names, as far as the caller of that unique name is to see them. Asked on the connection's thread.
    package var names: (_ sender: String) -> [String]

    /// A tree.
    package init(path: String, interface: String, xml: String, names: @escaping (_ sender: String) -> [String]) {
        self.path = path
        self.interface = interface
        self.xml = xml
        self.names = names
    }
}

extension BusConnection {
    /// Offers all objects of a tree. Calls come on this thread until the handle goes away.
    ///
    /// Calls come for any name below the path, there or not: who answers knows what there is, and for whom.
    package func offer(
        _ tree: BusTree, flow: BusFlow? = nil, _ answer: @escaping (BusCall) -> Void
    ) throws -> BusRegistration {
        var error: UnsafeMutablePointer<GError>?
        guard let node = g_dbus_node_info_new_for_xml(tree.xml, &error) else { throw GLibError(taking: error) }
        var vtable = GDBusSubtreeVTable()
        vtable.enumerate = { _, sender, _, data in
            guard let data else { return nil }
            return Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().names(for: sender)
        }
        vtable.introspect = { _, _, _, name, data in
            // The path itself has no interface, only objects below.
            guard let data, name != nil else { return nil }
            return Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().interfaces()
        }
        vtable.dispatch = { _, _, _, _, name, outData, data in
            guard let data, name != nil else { return nil }
            outData?.pointee = data
            return UnsafePointer(Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().vtable)
        }
        let handler = TreeHandler(tree, node: node, flow, answer)
        let id = g_dbus_connection_register_subtree(
            pointer, tree.path, &vtable, G_DBUS_SUBTREE_FLAGS_DISPATCH_TO_UNENUMERATED_NODES,
            Unmanaged.passRetained(handler).toOpaque(),
            { data in if let data { Unmanaged<TreeHandler>.fromOpaque(data).release() } }, &error)
        guard id != 0 else { throw GLibError(taking: error) }
        let connection = connection
        return BusRegistration { g_dbus_connection_unregister_subtree(OpaquePointer(connection.pointer), id) }
    }
}

/// What C holds of a tree.
private final class TreeHandler {
    let vtable: UnsafeMutablePointer<GDBusInterfaceVTable>
    private let tree: BusTree
    private let node: UnsafeMutablePointer<GDBusNodeInfo>
    private let answer: (BusCall) -> Void
    private let flow: BusFlow?

    /// Takes over one reference to `node`.
    init(
        _ tree: BusTree, node: UnsafeMutablePointer<GDBusNodeInfo>, _ flow: BusFlow?,
        _ answer: @escaping (BusCall) -> Void
    ) {
        self.flow = flow
        self.tree = tree
        self.node = node
        self.answer = answer
        vtable = .allocate(capacity: 1)
        var table = GDBusInterfaceVTable()
        table.method_call = { _, _, _, _, _, parameters, invocation, data in
            guard let invocation, let data else { return }
            let handler = Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue()
            handler.answer(BusCall(taking: invocation, parameters: parameters, flow: handler.flow))
        }
        vtable.initialize(to: table)
    }

    deinit {
        vtable.deallocate()
        g_dbus_node_info_unref(node)
    }

    /// The names as C takes them: an array to be freed with its texts, ended by nil.
    func names(for sender: UnsafePointer<CChar>?) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        let names = tree.names(sender.map { String(cString: $0) } ?? "")
        let size = (names.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        let array = g_malloc0(gsize(size)).assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        for (index, name) in names.enumerated() { array[index] = g_strdup(name) }
        return array
    }

    /// The one interface, likewise.
    func interfaces() -> UnsafeMutablePointer<UnsafeMutablePointer<GDBusInterfaceInfo>?>? {
        let size = 2 * MemoryLayout<UnsafeMutablePointer<GDBusInterfaceInfo>?>.stride
        let array = g_malloc0(gsize(size)).assumingMemoryBound(to: UnsafeMutablePointer<GDBusInterfaceInfo>?.self)
        array[0] = g_dbus_interface_info_ref(g_dbus_node_info_lookup_interface(node, tree.interface))
        return array
    }
}
