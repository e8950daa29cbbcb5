// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Synchronization

/// A fake systemd that moves processes into scopes: real control groups of this machine.
final class FakeScopes: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        guard let root else { return "no unified control groups here" }
        let probe = root + "/transfer-test-\(getpid())"
        guard mkdir(probe, 0o755) == 0 else { return "no control groups may be created here" }
        rmdir(probe)
        return nil
    }()

    /// The folder of the unified hierarchy.
    static let root: String? = {
        let text = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ") }.first { $0.contains("cgroup2") }
            .map { String($0[4]) }
    }()

    private let requests = Mutex<[(unit: String, properties: [String: VariantValue])]>([])
    private let service = Mutex<FakeService?>(nil)

    /// The requests for scopes, in order.
    var units: [(unit: String, properties: [String: VariantValue])] { requests.withLock(\.self) }

    /// The folder of the first scope.
    var folder: String { (Self.root ?? "") + "/" + (units.first?.unit ?? "") }

    /// Claims systemd's name on the bus at `address`.
    func start(address: String) async throws {
        let played = FakeService(
            FakeService.Interface(
                name: "org.freedesktop.systemd1.Manager", path: "/org/freedesktop/systemd1",
                members: """
                    <method name="Subscribe"/>
                    <method name="StartTransientUnit">
                      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a(sv)" direction="in"/>
                      <arg type="a(sa(sv))" direction="in"/><arg type="o" direction="out"/>
                    </method>
                    <signal name="JobRemoved"><arg type="u"/><arg type="o"/><arg type="s"/><arg type="s"/></signal>
                    """, reply: { [weak self] in self?.reply($1, $0) ?? [] }))
        try await played.start(address: address, as: "org.freedesktop.systemd1")
        service.withLock { $0 = played }
    }

    private func reply(_ call: BusCall, _ service: isolated FakeService) -> [VariantValue] {
        guard call.method == "StartTransientUnit" else { return [] }
        let unit = call.arguments[0].string ?? ""
        let pairs = call.arguments[2].items.map { ($0.items[0].string ?? "", $0.items[1]) }
        let properties = Dictionary(pairs) { first, _ in first }
        requests.withLock { $0.append((unit, properties)) }
        let folder = (Self.root ?? "") + "/" + unit
        let isMade = mkdir(folder, 0o755) == 0
        for process in properties["PIDs"]?.items.compactMap(\.integer) ?? [] {
            try? "\(process)".write(toFile: folder + "/cgroup.procs", atomically: false, encoding: .utf8)
        }
        let job = "/org/freedesktop/systemd1/job/1"
        try? service.emit(
            "JobRemoved", [.integer(1), .string(job), .string(unit), .string(isMade ? "done" : "failed")],
            type: "(uoss)")
        return [.string(job)]
    }

    /// Removes the scopes and releases the bus name.
    func stop() async {
        for (unit, _) in units {
            let folder = (Self.root ?? "") + "/" + unit
            rmdir(folder)
        }
        let played = service.withLock { service in
            defer { service = nil }
            return service
        }
        await played?.stop()
    }
}
