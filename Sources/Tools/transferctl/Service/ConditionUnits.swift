// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusProtocol

/// The unit files of the service that publishes conditions, and of the targets that systemd reaches and leaves with them.
///
/// The service runs without rights. For each condition, it keeps one of two empty files, and a path unit for each file
/// starts a target. The two targets of a condition exclude each other, so the start of one stops the other.
struct ConditionUnits {
    /// The conditions with a target, and how their descriptions name them.
    private static let conditions = [
        (name: "ac", holds: "On AC power", fails: "Not on AC power"),
        (name: "unmetered", holds: "On an unmetered network", fails: "Not on an unmetered network"),
        (
            name: "discretionary", holds: "A good moment for background work",
            fails: "Not a good moment for background work"
        ),
    ]
    /// The name of the service.
    static let service = "transfer-conditions.service"
    /// The user of the machine's service, who owns the name on the system bus.
    private static let user = "transfer-conditions"

    /// The folder of the unit files.
    let folder: String
    /// A Boolean value that indicates whether the units belong to a user's systemd.
    let isUser: Bool
    /// The path of the D-Bus policy and of the entry for systemd-sysusers, for the machine's service only.
    private let systemPaths: (policy: String, sysusers: String)?

    /// Creates the units of a user's systemd.
    init(userFolder folder: String) { (self.folder, isUser, systemPaths) = (folder, true, nil) }

    /// Creates the units of the machine's systemd that an administrator installs.
    static var administrators: ConditionUnits {
        ConditionUnits(
            systemFolder: "/etc/systemd/system", policy: "/etc/dbus-1/system.d", sysusers: "/etc/sysusers.d")
    }

    /// Creates the units of the machine's systemd of a package below a folder that stands for the root.
    init(packageRoot root: String) {
        self.init(
            systemFolder: root + "/usr/lib/systemd/system", policy: root + "/usr/share/dbus-1/system.d",
            sysusers: root + "/usr/lib/sysusers.d")
    }

    private init(systemFolder folder: String, policy: String, sysusers: String) {
        (self.folder, isUser) = (folder, false)
        systemPaths = (
            "\(policy)/org.transferd.Conditions.conf", "\(sysusers)/transfer-conditions.conf"
        )
    }

    /// The paths of all files.
    var paths: [String] { files(program: "").map(\.path) }

    /// Returns the files, with the path of `transferd`.
    func files(program: String) -> [(path: String, text: String)] {
        var files = [(folder + "/" + Self.service, serviceText(program: program))]
        for (name, holds, fails) in Self.conditions {
            for (name, other, text) in [(name, "not-" + name, holds), ("not-" + name, name, fails)] {
                files.append((folder + "/transfer-\(name).path", Self.pathText(of: name)))
                files.append((folder + "/transfer-\(name).target", Self.targetText(of: name, excluding: other, text)))
            }
        }
        if let systemPaths {
            files.append((systemPaths.policy, Self.policyText))
            files.append((systemPaths.sysusers, "u \(Self.user) - \"Conditions for background transfers\"\n"))
        }
        return files
    }

    /// The service (systemd.service(5)). It starts the path units and, with them, the targets.
    private func serviceText(program: String) -> String {
        let paths = Self.conditions.flatMap { ["transfer-\($0.name).path", "transfer-not-\($0.name).path"] }
        return """
            [Unit]
            Description=Conditions for background work
            Documentation=man:transferctl(1)
            Wants=\(paths.joined(separator: " "))
            \(isUser ? "" : "After=dbus.service\n")
            [Service]
            Type=notify
            ExecStart=\(program) --conditions-only\(isUser ? "" : " --bus system")
            RuntimeDirectory=transfer-conditions
            Restart=on-failure
            RestartSec=5
            Slice=\(isUser ? "background.slice" : "system.slice")
            MemoryMax=256M
            TasksMax=64
            LimitCORE=0
            \(isUser ? "" : Self.hardening + Self.ownHardening)
            [Install]
            WantedBy=\(isUser ? "default.target" : "multi-user.target")

            """
    }

    /// The restrictions of a service of the machine's systemd that reads the conditions.
    static let hardening = """
        Environment=XDG_CONFIG_HOME=/etc
        CapabilityBoundingSet=
        NoNewPrivileges=yes
        ProtectSystem=strict
        ProtectKernelModules=yes
        RestrictAddressFamilies=AF_UNIX AF_NETLINK AF_INET AF_INET6
        RestrictNamespaces=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native

        """

    /// The further restrictions of this service. The static user, if systemd-sysusers has created it, is used instead of
    /// a dynamic one: the bus reads its policy when no dynamic user exists yet.
    private static let ownHardening = """
        DynamicUser=yes
        User=\(user)
        ProtectHome=yes
        PrivateTmp=yes
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        LockPersonality=yes
        RestrictRealtime=yes

        """

    /// A path unit (systemd.path(5)), which starts the target of the same name while the file exists.
    private static func pathText(of name: String) -> String {
        """
        [Unit]
        Description=Watch for transfer-\(name).target
        PartOf=\(service)

        [Path]
        PathExists=%t/transfer-conditions/\(name)
        Unit=transfer-\(name).target

        """
    }

    /// A target. It ends with the service, because nobody then knows whether the condition holds. The order makes systemd
    /// stop one target before it starts the other.
    private static func targetText(of name: String, excluding other: String, _ text: String) -> String {
        """
        [Unit]
        Description=\(text)
        Documentation=man:transferctl(1)
        BindsTo=\(service)
        After=\(service)\(name.hasPrefix("not-") ? "" : " transfer-\(other).target")
        Conflicts=transfer-\(other).target

        """
    }

    /// The policy of the system bus: only the service may own the name, and everyone may read its properties.
    private static let policyText = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <policy user="\(user)">
            <allow own="\(TransferBusName.service)"/>
          </policy>
          <policy context="default">
            <allow send_destination="\(TransferBusName.service)" send_interface="org.freedesktop.DBus.Properties"/>
            <allow send_destination="\(TransferBusName.service)" send_interface="org.freedesktop.DBus.Introspectable"/>
            <allow send_destination="\(TransferBusName.service)" send_interface="org.freedesktop.DBus.Peer"/>
          </policy>
        </busconfig>

        """
}
