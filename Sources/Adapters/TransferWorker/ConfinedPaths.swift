// SPDX-License-Identifier: Apache-2.0
import CConfinement
import Foundation
import Glibc
import WorkerExecutor

/// The files that a confined worker may still open: the system files that the C library, TLS, and this program read.
struct ConfinedPaths {
    /// The paths that may be read.
    var readable: [String]
    /// The folders to which a sanitizer may write its reports. Empty in builds without a sanitizer.
    var reportFolders: [String]

    /// The files for name resolution, and the lists of services and protocols (`others`).
    private static let names = ["resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf", "networks"]
    private static let others = [
        "services", "protocols", "localtime", "timezone", "ld.so.cache", "ssl", "pki", "ca-certificates",
        "crypto-policies",
    ]
    /// The libraries that are loaded late (name services, text conversions), the certificates, and the time zones.
    private static let system = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates", "/usr/share/pki", "/var/lib/ca-certificates", "/usr/share/zoneinfo",
    ]
    /// The kernel's data about this process, this machine, and the network interfaces.
    ///
    /// Includes all of `/proc`. Dispatch aborts a process that may not read `/proc/THREAD/stat` of its threads, and
    /// no rule can name a thread that does not exist yet. The memory, environment, and open files of other processes
    /// stay inaccessible, because Landlock treats reading them as tracing.
    private static let kernel = [
        "/proc", "/sys/devices/system/cpu", "/sys/class/net", "/dev/zero", "/dev/random", "/dev/urandom",
    ]
    /// The environment variables that name certificates or TLS settings. A variable with several paths separates them
    /// by colons.
    private static let variables = [
        "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "OPENSSL_CONF",
    ]

    /// Creates the paths of this system, plus a file with additional certificates.
    init(caFile: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        readable = (Self.names + Self.others).map { "/etc/" + $0 } + Self.system + Self.kernel
        readable += Self.linkedFolders()
        readable += Self.variables.flatMap { environment[$0, default: ""].split(separator: ":").map(String.init) }
        if let caFile { readable.append(caFile) }
        reportFolders = []
        guard WorkerConfinement.isSanitized else { return }
        // A sanitizer reads every file that it names in a report, and starts a helper program.
        readable.append("/")
        for variable in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            for option in environment[variable, default: ""].split(whereSeparator: { $0 == ":" || $0 == " " })
            where option.hasPrefix("log_path=/") {
                guard let slash = option.lastIndex(of: "/") else { continue }
                reportFolders.append(String(option[..<slash].dropFirst("log_path=".count)))
            }
        }
    }

    /// Returns the folders of the name resolution files that are links. The services that maintain the files replace
    /// them instead of rewriting them.
    private static func linkedFolders() -> [String] {
        names.compactMap { name in
            guard let target = realpath("/etc/" + name, nil) else { return nil }
            defer { free(target) }
            let path = String(cString: target)
            guard path.hasPrefix("/run/"), let slash = path.lastIndex(of: "/") else { return nil }
            return String(path[..<slash])
        }
    }

    /// The rule for each path: the path and its access, for `transfer_landlock_allow`.
    var rules: [(path: String, access: Int32)] {
        let reading = Int32(TRANSFER_ACCESS_READ | (WorkerConfinement.isSanitized ? TRANSFER_ACCESS_EXECUTE : 0))
        let writing = Int32(TRANSFER_ACCESS_READ | TRANSFER_ACCESS_WRITE)
        var rules: [(path: String, access: Int32)] = readable.map { ($0, reading) }
        rules += (reportFolders + ["/dev/null"]).map { ($0, writing) }
        return rules
    }
}
