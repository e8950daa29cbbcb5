// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus

signal(SIGPIPE, SIG_IGN)
do {
    let options = try FuzzOptions(Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    // Printed immediately, so that the seed is known even if this process crashes.
    fflush(nil)
    let own = options.bus == nil ? try await FuzzDaemon(program: options.program) : nil
    let address = options.bus ?? own?.bus.address ?? ""
    if own != nil { try waitForDaemon(at: address) }
    let fuzz = try BusFuzz(options: options, address: address, process: options.daemon ?? own?.process.id ?? 0)
    let faults = fuzz.run()
    print(fuzz.summary)
    for fault in faults { print(fault) }
    let keeps = options.keepsFolder || !faults.isEmpty
    await own?.end(keepingFolder: keeps)
    if keeps, let own { print("The daemon's folder: \(own.folder.path)") }
    exit(faults.isEmpty ? 0 : 1)
} catch let usage as FuzzUsage {
    print(usage.text)
    exit(2)
} catch {
    print("cannot run: \(error)")
    exit(2)
}

/// Waits up to 30 s until the daemon owns its bus name.
func waitForDaemon(at address: String) throws {
    let bus = try RawBusConnection(address: address)
    for _ in 0..<600 {
        let reply = try bus.call(
            "NameHasOwner", of: RawBusConnection.bus, at: "/org/freedesktop/DBus", to: RawBusConnection.bus,
            [.string("org.transferd")])
        if try reply.values().first == .boolean(true) { return }
        usleep(50_000)
    }
    throw RawBusError("the daemon did not appear on the bus within 30 s")
}
