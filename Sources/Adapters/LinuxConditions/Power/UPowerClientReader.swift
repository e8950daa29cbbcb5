// SPDX-License-Identifier: Apache-2.0
import CGIO
import CUPower
import GLibBridge

/// The client of libupower-glib, on its own thread.
///
/// The client's calls may block for 25 s if the daemon hangs, so nothing else may share the thread. The client's
/// asynchronous constructor is bound to the process's main context and would never report back here, so only the
/// blocking constructor is used.
actor UPowerClientReader {
    /// A message from a client. Each client belongs to one lifetime of the daemon.
    struct Message: Sendable {
        var generation: Int
        /// The properties; `nil` if the daemon does not reply.
        var properties: UPowerProperties?
    }

    private struct Objects {
        var bus: GObjectReference
        var client: GObjectReference
        var device: GObjectReference
    }

    private let executor = GLibExecutor(name: "upower")
    private let deliver: @Sendable (Message) -> Void
    private var generation = 0
    private var objects: Objects?
    private var pendingRead: GLibSource?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter deliver: Called on this reader's thread.
    init(deliver: @escaping @Sendable (Message) -> Void) { self.deliver = deliver }

    /// Replaces the client with a new one. `deliver` receives its properties now and after each change.
    nonisolated func open(generation: Int, cancellation: Cancellation) {
        executor.perform { self.assumeIsolated { $0.makeClient(generation, cancellation) } }
    }

    /// Reads the properties again.
    nonisolated func refresh() {
        executor.perform { self.assumeIsolated { $0.read() } }
    }

    /// Releases the client and its connection to the bus.
    nonisolated func close() {
        executor.perform { self.assumeIsolated { $0.dropClient() } }
    }

    /// Releases the client and ends the thread.
    ///
    /// Cancel a pending `open` first.
    nonisolated func stop() async {
        close()
        await executor.stop()
    }

    private func makeClient(_ generation: Int, _ cancellation: Cancellation) {
        dropClient()
        self.generation = generation
        objects = connect(cancellation)
        guard let objects else { return deliver(Message(generation: generation, properties: nil)) }
        for object in [objects.client, objects.device] {
            object.connect("notify") { self.assumeIsolated { $0.readSoon() } }
        }
        read()
    }

    private func connect(_ cancellation: Cancellation) -> Objects? {
        // UpClient uses the process's shared connection. By default, the process exits when that connection closes.
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, cancellation.cancellable, nil) else { return nil }
        let busReference = GObjectReference(taking: UnsafeMutableRawPointer(bus))
        g_dbus_connection_set_exit_on_close(bus, 0)
        guard let client = up_client_new_full(cancellation.cancellable, nil) else { return nil }
        let clientReference = GObjectReference(taking: client)
        // Not `up_client_get_display_device`, which blocks and cannot be canceled.
        guard let device = up_device_new() else { return nil }
        let deviceReference = GObjectReference(taking: device)
        guard up_device_set_object_path_sync(device, displayDevicePath, cancellation.cancellable, nil) != 0
        else { return nil }
        return Objects(bus: busReference, client: clientReference, device: deviceReference)
    }

    /// Schedules one read. A single change of power sends up to five notifications in a row, which this read combines.
    private func readSoon() {
        guard pendingRead == nil else { return }
        pendingRead = executor.whenIdle { self.assumeIsolated { $0.read() } }
    }

    private func read() {
        pendingRead = nil
        guard let objects else { return }
        let client = objects.client.pointer.assumingMemoryBound(to: UpClient.self)
        let device = objects.device.pointer.assumingMemoryBound(to: UpDevice.self)
        let state = cupower_read_device(device)
        let properties = UPowerProperties(
            daemonVersion: up_client_get_daemon_version(client).map { String(cString: $0) },
            isOnBattery: up_client_get_on_battery(client) != 0, isPresent: state.is_present != 0, kind: state.kind,
            state: state.state, warningLevel: state.warning_level, percentage: state.percentage)
        deliver(Message(generation: generation, properties: properties.decoded == nil ? nil : properties))
    }

    private func dropClient() {
        pendingRead = nil
        objects = nil
    }
}

private let displayDevicePath = "/org/freedesktop/UPower/devices/DisplayDevice"
