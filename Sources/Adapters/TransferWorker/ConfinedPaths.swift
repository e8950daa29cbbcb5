// SPDX-License-Identifier: Apache-2.0
import CConfinement
import Foundation
import Glibc
import WorkerExecutor

/// The files that a confined worker may still open: what the C library, TLS and this program read of the system.
struct ConfinedPaths {
    /// What may be read.
    var readable: [String]
    /// Folders in which a sanitizer may write its reports; empty but in builds with one.
    var reportFolders: [String]

    /// Names: how they are resolved, and which services and protocols there are.
    private static let names = ["resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf", "networks"]
    private static let others = [
        "services", "protocols", "localtime", "timezone", "ld.so.cache", "ssl", "pki", "ca-certificates",
        "crypto-policies",
    ]
    /// Libraries that are loaded late (name services, text conversions), certificates and time zones.
    private static let system = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates", "/usr/share/pki", "/var/lib/ca-certificates", "/usr/share/zoneinfo",
    ]
    /// Numbers of this process and this machine, and of the network's interfaces.
    ///
    /// All of `/proc`, because Dispatch ends a process that may not read `/proc/THREAD/stat` of its threads, and no rule can
    /// name a thread before it is there. Memory, environment and open files of other processes stay out of reach: Landlock
    /// takes reading them for tracing.
    private static let kernel = [
        "/proc", "/sys/devices/system/cpu", "/sys/class/net", "/dev/zero", "/dev/random", "/dev/urandom",
    ]
    /// Variables of the environment that name certificates or settings of TLS; those with several paths separate them by
    /// colons.
    private static let variables = [
        "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "OPENSSL_CONF", "URLSessionCertificateAuthorityInfoFile",
    ]

    /// The paths of this system, with a file of certificates beside its own.
    init(caFile: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        readable = (Self.names + Self.others).map { "/etc/" + $0 } + Self.system + Self.kernel
        readable += Self.linkedFolders()
        readable += Self.variables.flatMap { environment[$0, default: ""].split(separator: ":").map(String.init) }
        if let caFile { readable.append(caFile) }
        reportFolders = []
        guard WorkerConfinement.isSanitized else { return }
        // It reads all that it names in a report, and starts a program that helps.
        readable.append("/")
        for variable in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            for option in environment[variable, default: ""].split(whereSeparator: { $0 == ":" || $0 == " " })
            where option.hasPrefix("log_path=/") {
                guard let slash = option.lastIndex(of: "/") else { continue }
                reportFolders.append(String(option[..<slash].dropFirst("log_path=".count)))
            }
        }
    }

    /// The folders of the files that the names' settings are links to: what keeps them replaces the files.
    private static func linkedFolders() -> [String] {
        names.compactMap { name in
            guard let target = realpath("/etc/" + name, nil) else { return nil }
            defer { free(target) }
            let path = String(cString: target)
            guard path.hasPrefix("/run/"), let slash = path.lastIndex(of: "/") else { return nil }
            return String(path[..<slash])
        }
    }

    /// Each path with what may be done there, for `transfer_landlock_allow`.
    var rules: [(path: String, access: Int32)] {
        let reading = Int32(TRANSFER_ACCESS_READ | (WorkerConfinement.isSanitized ? TRANSFER_ACCESS_EXECUTE : 0))
        let writing = Int32(TRANSFER_ACCESS_READ | TRANSFER_ACCESS_WRITE)
        var rules: [(path: String, access: Int32)] = readable.map { ($0, reading) }
        rules += (reportFolders + ["/dev/null"]).map { ($0, writing) }
        return rules
    }
}
