// SPDX-License-Identifier: Apache-2.0
import Foundation

signal(SIGPIPE, SIG_IGN)
do {
    let options = try SoakOptions(Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    // Printed at once, so that the seed is known even if this process crashes.
    fflush(nil)
    let soak = try await DaemonSoak(options: options)
    let faults = await soak.run()
    print(await soak.summary)
    for fault in faults { print("WRONG: \(fault)") }
    exit(faults.isEmpty ? 0 : 1)
} catch let usage as SoakUsage {
    print(usage.text)
    exit(2)
} catch {
    print("it could not be tried: \(error)")
    exit(2)
}
