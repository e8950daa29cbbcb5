// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport
import TransferBusProtocol

/// The files of an installation: for systemd and the bus, for the desktop, for man(1), and for shells.
///
/// The files belong to a user, or to a package.
struct ServiceFiles {
    /// The service file for the bus, which starts the daemon at the first call (D-Bus Specification, "Message Bus
    /// Starting Services").
    let activation: String
    /// The unit file for the user's systemd instance.
    let unit: String
    /// The folder of the manual pages. man(1) finds them if `PATH` has a folder beside it, or if MANPATH names it.
    let manual: String
    /// The folder for data: `$XDG_DATA_HOME`, or `/usr/share` for a package.
    private let data: String
    /// The units that publish conditions and drive targets. The user or the administrator enables them.
    let conditions: [ConditionUnits]
    /// The programs whose completion scripts are installed, and the folder of the scripts for zsh.
    private let completed: (programs: [String], zsh: String)

    /// The manual pages: the path of each page, and the program and arguments that write it.
    var pages: [(path: String, program: String, arguments: [String])] {
        [
            (manual + "/man1/transferctl.1", "transferctl", ["man"]),
            (manual + "/man1/transferlab.1", "transferlab", ["man"]),
            (manual + "/man5/transferd.toml.5", "transferctl", ["man", "transferd.toml"]),
            (manual + "/man8/transferd.8", "transferd", ["--manual"]),
        ]
    }

    /// The completion scripts, which bash (with bash-completion) and fish load at the first Tab. zsh loads its script
    /// if `fpath` names the folder. Each has a path, and the program and arguments that write it.
    var completions: [(path: String, program: String, arguments: [String])] {
        completed.programs.flatMap { program in
            let scripts: [(shell: CompletionShell, path: String)] = [
                (.bash, data + "/bash-completion/completions/" + program),
                (.zsh, data + "/zsh/" + completed.zsh + "/_" + program),
                (.fish, data + "/fish/vendor_completions.d/\(program).fish"),
            ]
            return scripts.map { ($0.path, program, ["--generate-completion-script", $0.shell.rawValue]) }
        }
    }

    /// The desktop entry and its icon, to which notifications refer.
    var desktop: DesktopFiles { DesktopFiles(data: data) }

    /// The paths of all files.
    var all: [String] {
        [activation, unit] + conditions.flatMap(\.paths) + desktop.paths + pages.map(\.path) + completions.map(\.path)
    }

    /// Creates the paths of a user's installation, below `$XDG_DATA_HOME` and `$XDG_CONFIG_HOME`.
    ///
    /// - Throws: `UsageError` if no environment variable specifies a folder.
    init() throws {
        data = try BaseFolder.data.path(for: "the data folder")
        activation = data + "/dbus-1/services/\(TransferBusName.service).service"
        let units = try BaseFolder.config.path(for: "the configuration folder") + "/systemd/user"
        unit = units + "/transferd.service"
        conditions = [ConditionUnits(userFolder: units)]
        manual = data + "/man"
        completed = (["transferctl"], "site-functions")
    }

    /// Creates the paths of a package's files below a folder that stands for the root of the file system.
    init(packageRoot root: String) {
        data = root + "/usr/share"
        activation = data + "/dbus-1/services/\(TransferBusName.service).service"
        let units = root + "/usr/lib/systemd/user"
        unit = units + "/transferd.service"
        conditions = [ConditionUnits(userFolder: units), ConditionUnits(packageRoot: root)]
        manual = data + "/man"
        // The folder in Debian's `fpath` for scripts of packages other than zsh.
        completed = (["transferctl", "transferd", "transferlab"], "vendor-completions")
    }

    /// Writes all files. A program that is missing or cannot write its page has none.
    ///
    /// - Parameters:
    ///   - control: The path of `transferctl`, for the desktop entry.
    ///   - daemon: The path of `transferd`, for systemd and the bus.
    ///   - writer: A closure that returns the path of the program of a name, which writes its own pages and scripts.
    /// - Throws: `UsageError` if a file cannot be written.
    func write(control: String, daemon: String, writer: (String) -> String) throws {
        try ServiceWriter.write(Self.activationText(program: daemon), to: activation)
        try ServiceWriter.write(Self.unitText(program: daemon), to: unit)
        for (path, text) in conditions.flatMap({ $0.files(program: daemon) }) {
            try ServiceWriter.write(text, to: path)
        }
        for (path, text) in desktop.files(program: control) { try ServiceWriter.write(text, to: path) }
        for (path, program, arguments) in pages + completions {
            try ServiceWriter.write(to: path, by: writer(program), arguments)
        }
    }

    /// Makes the user's systemd start the daemon at each login.
    ///
    /// - Returns: Whether systemd has accepted the request.
    static func enable() -> Bool { ServiceWriter.runFromPath(["systemctl", "--user", "enable", "transferd.service"]) }

    /// Makes the user's systemd no longer start the daemon at each login.
    static func disable() { ServiceWriter.runFromPath(["systemctl", "--user", "disable", "transferd.service"]) }

    /// Returns the service file for the bus. Without systemd, the bus runs `Exec`.
    static func activationText(program: String) -> String {
        """
        [D-BUS Service]
        Name=\(TransferBusName.service)
        Exec=\(program)
        SystemdService=transferd.service

        """
    }

    /// Returns the unit file for systemd (systemd.service(5)).
    ///
    /// Not `Type=dbus`: the daemon leaves the bus for a moment to continue as an updated program, and systemd would stop
    /// it.
    ///
    /// No setting creates a mount namespace or implies `NoNewPrivileges=`. If apps cannot be services of their own,
    /// the daemon starts programs as children, which would inherit both. Most of `systemd-analyze security` is
    /// therefore out of reach.
    static func unitText(program: String) -> String {
        """
        [Unit]
        Description=Background transfers
        Documentation=man:transferd(8) man:transferd.toml(5)

        [Service]
        Type=notify
        BusName=\(TransferBusName.service)
        ExecStart=\(program)
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        WatchdogSec=300
        TimeoutStopSec=10
        Slice=background.slice
        UMask=0077
        MemoryMax=1G
        TasksMax=256
        OOMPolicy=continue
        LimitCORE=0

        [Install]
        WantedBy=default.target

        """
    }
}

/// The installation of the daemon by a package, for all users.
struct PackagedService {
    /// The path of the service file for the bus.
    let activation: String

    /// Returns the installation that starts a daemon, or `nil` if no package has installed the daemon.
    ///
    /// - Parameters:
    ///   - program: The path of the daemon.
    ///   - folders: The folders of the system's data, in the order of preference.
    static func find(program: String, in folders: [String] = dataFolders()) -> PackagedService? {
        for folder in folders {
            let path = folder + "/dbus-1/services/\(TransferBusName.service).service"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            // A file for another daemon hides the files in the remaining folders from the bus.
            return text.split(separator: "\n").contains("Exec=\(program)") ? PackagedService(activation: path) : nil
        }
        return nil
    }

    /// Returns the folders in `XDG_DATA_DIRS`, or the default of the XDG Base Directory Specification.
    static func dataFolders(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
        let named = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return named.isEmpty ? ["/usr/local/share", "/usr/share"] : named.map(String.init)
    }
}
