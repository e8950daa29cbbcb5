// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxClock
import LinuxConditions
import TransferEngine
import TransferModel
import TransferPolicy

// Prints one line for each snapshot: what tests of the readers watch. `--sysfs ROOT` reads another sysfs;
// `--without READER` switches a reader off; `--zone FILE` watches that file for the time zone; `--ready promptly` lets
// sleep go ahead as soon as it is announced; `--network-sysfs ROOT` reads another sysfs for network devices; `--leases
// ROOT` looks for leases below another root; `--overrides FILE` follows such a file; `--sandbox FILE` takes it for the
// mark of a sandbox. Ends at the end of its standard input.

var configuration = LinuxConditionsConfiguration()
var isPrompt = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch (argument, arguments.popFirst()) {
    case ("--sysfs", let root?): configuration.sysfsRoot = root
    case ("--zone", let file?):
        configuration.localTime = LocalTimeRules(systemZoneIn: file)
        configuration.watchLocalTime = { LocalTimeWatch(file: file, onChange: $0) }
    case ("--ready", "promptly"): isPrompt = true
    case ("--without", "powerProfiles"): configuration.readers.remove(.powerProfiles)
    case ("--without", "logind"): configuration.readers.remove(.logind)
    case ("--without", "upower"): configuration.readers.remove(.upower)
    case ("--without", "sysfs"): configuration.readers.remove(.sysfs)
    case ("--without", "netlink"): configuration.readers.remove(.netlink)
    case ("--without", "networkManager"): configuration.readers.remove(.networkManager)
    case ("--network-sysfs", let root?): configuration.networkSysfsRoot = root
    case ("--leases", let root?): configuration.leaseRoot = root
    case ("--overrides", let path?): configuration.overridesFile = path
    case ("--sandbox", let path?): configuration.sandboxMarker = path
    default:
        write(2, "unknown argument \(argument)\n", argument.utf8.count + 18)
        exit(64)
    }
}

let isReadyPromptly = isPrompt
let alarm = try LinuxAlarm()
let conditions = LinuxConditions(configuration: configuration, now: { alarm.now() })

await withTaskGroup(of: Void.self) { group in
    group.addTask {
        for await snapshot in conditions.snapshots() {
            let line = ProbeLine(snapshot).text + "\n"
            _ = line.withCString { write(1, $0, strlen($0)) }
            if isReadyPromptly, snapshot.sleep.value != .awake { conditions.readyToSleep() }
        }
    }
    group.addTask {
        // The end of input comes as an event on a thread of Dispatch, not of the task pool.
        await EndOfInput.wait()
        await conditions.stop()
    }
}
