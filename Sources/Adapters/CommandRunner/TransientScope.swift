// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GLibBridge
import Glibc
import Synchronization

/// A transient scope of systemd: a control group that systemd creates for a process that already exists.
///
/// systemd delegates the scope (`Delegate=yes`), so this program may divide it further.
enum TransientScope {
    private static let manager = "org.freedesktop.systemd1"
    /// The longest time to wait for systemd, in seconds. The command starts only afterwards.
    private static let patience = 3

    /// Moves a process into a new scope. Returns whether systemd did.
    ///
    /// Uses the user's systemd on the session bus; root's commands use the systemd of the machine if there is none.
    /// Blocks for up to three seconds for each bus.
    static func move(_ process: Int32) -> Bool {
        let unit = name(of: process)
        let isRoot = getuid() == 0
        let addresses = [BusConnection.sessionBusAddress(), isRoot ? BusConnection.systemBusAddress() : nil]
        return addresses.compactMap(\.self).contains { address in
            start(unit, process, on: address) && CgroupFreezer.group(of: process)?.hasSuffix("/" + unit) == true
        }
    }

    /// The name of the scope of a process.
    static func name(of process: Int32) -> String { "transferctl-run-\(process).scope" }

    private static func start(_ unit: String, _ process: Int32, on address: String) -> Bool {
        let executor = GLibExecutor(name: "transfer-scope")
        let (result, done) = (ScopeRequest(), DispatchSemaphore(value: 0))
        executor.perform {
            BusConnection.open(address: address, cancellation: Cancellation()) { opened in
                guard case .success(let bus) = opened else { return _ = done.signal() }
                result.bus = bus
                // systemd has moved the process when the job of the scope is done.
                result.ends = bus.subscribe(
                    to: "JobRemoved", of: manager + ".Manager", at: "/org/freedesktop/systemd1", sender: manager
                ) { values in
                    guard values.count == 4, values[2].string == unit else { return }
                    result.isDone.store(values[3].string == "done", ordering: .releasing)
                    done.signal()
                }
                request("Subscribe", [], "()", bus) { _ in }
                request("StartTransientUnit", arguments(unit, process), "(ssa(sv)a(sa(sv)))", bus) { reply in
                    if case .failure = reply { done.signal() }
                }
            }
        }
        _ = done.wait(timeout: .now() + .seconds(patience))
        executor.perform {
            result.ends = nil
            result.bus?.close()
            result.bus = nil
        }
        Task { await executor.stop() }
        return result.isDone.load(ordering: .acquiring)
    }

    private static func request(
        _ method: String, _ arguments: [VariantValue], _ type: String, _ bus: BusConnection,
        _ completion: @escaping (Result<[VariantValue], BusCallError>) -> Void
    ) {
        do {
            try bus.call(
                method, of: manager + ".Manager", at: "/org/freedesktop/systemd1", service: manager, arguments,
                type: type, milliseconds: Int32(patience * 1000), startsService: false, completion: completion)
        } catch {
            completion(.failure(BusCallError(name: nil, message: "\(error)")))
        }
    }

    private static func arguments(_ unit: String, _ process: Int32) -> [VariantValue] {
        let properties: [(String, String, VariantValue)] = [
            ("Description", "s", .string("A command of transferctl run")),
            ("PIDs", "au", .list([.integer(Int64(process))])),
            ("Delegate", "b", .bool(true)),
            ("CollectMode", "s", .string("inactive-or-failed")),
        ]
        return [
            .string(unit), .string("fail"), .list(properties.map { .list([.string($0), .typed($1, $2)]) }), .list([]),
        ]
    }
}

/// The state of a request for a scope. Its connection is used on the thread of its executor only.
private final class ScopeRequest: @unchecked Sendable {
    // Guard: `bus` and `ends` are used on the executor's thread only.
    var bus: BusConnection?
    var ends: BusRegistration?
    let isDone = Atomic(false)
}
