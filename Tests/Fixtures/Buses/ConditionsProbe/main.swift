// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxClock
import LinuxConditions
import TransferEngine
import TransferModel
import TransferPolicy

// Prints one line for each snapshot, so that tests can observe the condition readers. Ends at
// the end of standard input.
//
// - `--sysfs ROOT` reads another sysfs.
// - `--without READER` turns a reader off.
// - `--zone FILE` watches that file for the time zone.
// - `--ready promptly` permits sleep as soon as sleep is announced.
// - `--record FILE` records all observations in that file.
// - `--network-sysfs ROOT` reads another sysfs for network devices.
// - `--leases ROOT` looks for DHCP leases below another root.
// - `--overrides FILE` follows that overrides file.
// - `--sandbox FILE` uses that file as the marker of a sandbox.

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
    case ("--record", let path?):
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        configuration.recorder = { _ = "\($0)\n".withCString { write(file, $0, strlen($0)) } }
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
        // The end of input arrives on a separate thread, not on the task pool.
        await EndOfInput.wait()
        await conditions.stop()
    }
}
