// SPDX-License-Identifier: Apache-2.0
import Foundation

signal(SIGPIPE, SIG_IGN)
do {
    let options = try StressOptions(Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    // Printed immediately, so that the seed is known even if this process crashes.
    fflush(nil)
    let stressTest = try await DaemonStress(options: options)
    let faults = await stressTest.run()
    print(await stressTest.summary)
    for fault in faults { print("WRONG: \(fault)") }
    exit(faults.isEmpty ? 0 : 1)
} catch let usage as StressUsageError {
    print(usage.text)
    exit(2)
} catch {
    print("cannot run: \(error)")
    exit(2)
}
