// SPDX-License-Identifier: Apache-2.0
import CGIO

/// A set of objects below one path that are registered together. Ten thousand objects cost as much as one.
package struct BusTree {
    /// The path below which the objects are, without a trailing slash.
    package var path: String
    /// The interface of the objects.
    package var interface: String
    /// A D-Bus introspection document that describes the interface.
    package var xml: String
    /// Returns the names of the objects that a caller may see, given the caller's unique name. Called on the
    /// connection's thread.
    package var names: (_ sender: String) -> [String]

    /// Creates a tree.
    package init(path: String, interface: String, xml: String, names: @escaping (_ sender: String) -> [String]) {
        self.path = path
        self.interface = interface
        self.xml = xml
        self.names = names
    }
}

extension BusConnection {
    /// Exports all objects of a tree. Calls arrive on this thread until the returned handle is released.
    ///
    /// Calls arrive for any name below the path, whether or not the object exists. `onCall` decides whether an object
    /// exists for a caller.
    package func export(
        _ tree: BusTree, flow: BusFlow? = nil, _ onCall: @escaping (BusCall) -> Void
    ) throws -> BusRegistration {
        var error: UnsafeMutablePointer<GError>?
        guard let node = g_dbus_node_info_new_for_xml(tree.xml, &error) else { throw GLibError(taking: error) }
        var vtable = GDBusSubtreeVTable()
        vtable.enumerate = { _, sender, _, data in
            guard let data else { return nil }
            return Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().names(for: sender)
        }
        vtable.introspect = { _, _, _, name, data in
            // The path itself has no interface; only the objects below it do.
            guard let data, name != nil else { return nil }
            return Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().interfaces()
        }
        vtable.dispatch = { _, _, _, _, name, outData, data in
            guard let data, name != nil else { return nil }
            outData?.pointee = data
            return UnsafePointer(Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue().vtable)
        }
        let handler = TreeHandler(tree, node: node, flow, onCall)
        let id = g_dbus_connection_register_subtree(
            pointer, tree.path, &vtable, G_DBUS_SUBTREE_FLAGS_DISPATCH_TO_UNENUMERATED_NODES,
            Unmanaged.passRetained(handler).toOpaque(),
            { data in if let data { Unmanaged<TreeHandler>.fromOpaque(data).release() } }, &error)
        guard id != 0 else { throw GLibError(taking: error) }
        let connection = connection
        return BusRegistration { g_dbus_connection_unregister_subtree(OpaquePointer(connection.pointer), id) }
    }
}

/// The state of a tree that C code refers to.
private final class TreeHandler {
    let vtable: UnsafeMutablePointer<GDBusInterfaceVTable>
    private let tree: BusTree
    private let node: UnsafeMutablePointer<GDBusNodeInfo>
    private let onCall: (BusCall) -> Void
    private let flow: BusFlow?

    /// Creates a handler and takes ownership of one reference to `node`.
    init(
        _ tree: BusTree, node: UnsafeMutablePointer<GDBusNodeInfo>, _ flow: BusFlow?,
        _ onCall: @escaping (BusCall) -> Void
    ) {
        self.flow = flow
        self.tree = tree
        self.node = node
        self.onCall = onCall
        vtable = .allocate(capacity: 1)
        var table = GDBusInterfaceVTable()
        table.method_call = { _, _, _, _, _, parameters, invocation, data in
            guard let invocation, let data else { return }
            let handler = Unmanaged<TreeHandler>.fromOpaque(data).takeUnretainedValue()
            handler.onCall(BusCall(taking: invocation, parameters: parameters, flow: handler.flow))
        }
        vtable.initialize(to: table)
    }

    deinit {
        vtable.deallocate()
        g_dbus_node_info_unref(node)
    }

    /// Returns the names in C form: a null-terminated array that the caller frees together with its strings.
    func names(for sender: UnsafePointer<CChar>?) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        let names = tree.names(sender.map { String(cString: $0) } ?? "")
        let size = (names.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        let array = g_malloc0(gsize(size)).assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        for (index, name) in names.enumerated() { array[index] = g_strdup(name) }
        return array
    }

    /// Returns the only interface in C form: a null-terminated array that the caller frees.
    func interfaces() -> UnsafeMutablePointer<UnsafeMutablePointer<GDBusInterfaceInfo>?>? {
        let size = 2 * MemoryLayout<UnsafeMutablePointer<GDBusInterfaceInfo>?>.stride
        let array = g_malloc0(gsize(size)).assumingMemoryBound(to: UnsafeMutablePointer<GDBusInterfaceInfo>?.self)
        array[0] = g_dbus_interface_info_ref(g_dbus_node_info_lookup_interface(node, tree.interface))
        return array
    }
}
