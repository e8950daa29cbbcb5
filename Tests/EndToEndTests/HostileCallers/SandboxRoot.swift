// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A sandbox that looks to a daemon like a sandbox of Flatpak. Its mount root contains `/.flatpak-info` and lacks
/// the home folder and the tests' folders.
struct SandboxRoot {
    /// The reason that no root can be made here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        guard let folder = try? TemporaryFolder() else { return "no temporary folder" }
        let words = namespaces + ["mount", "-t", "tmpfs", "hostile", folder.path]
        // The folder is covered inside the namespace only, not for this process.
        let status = try? ChildProcess("/usr/bin/env", words, output: folder.path + "/log").waitOnThisThread()
        return status == 0 ? nil : "mounting is not allowed here"
    }()

    /// The words that run a command in its own mount namespace.
    private static var namespaces: [String] {
        ["unshare", "--mount"] + (getuid() == 0 ? [] : ["--user", "--map-root-user"])
    }

    /// A script that mounts only the folders that a program needs, and the bus's socket.
    private static let script = """
        set -e
        root=$1 bus=$2 program=$3 runtime=$4 id=$5 address=$6 documents=$7 shared=$8
        mount -t tmpfs hostile "$root"
        for folder in usr bin lib lib64 etc proc dev; do
            if [ -L "/$folder" ]; then cp -P "/$folder" "$root/$folder"
            elif [ -e "/$folder" ]; then mkdir "$root/$folder"; mount --rbind "/$folder" "$root/$folder"; fi
        done
        for folder in "$bus" "$runtime"; do
            [ -d "$root$folder" ] || { mkdir -p "$root$folder"; mount --rbind "$folder" "$root$folder"; }
        done
        mkdir "$root/app"
        mount --rbind "$program" "$root/app"
        [ -z "$documents" ] || { mkdir -p "$root/run/flatpak/doc"; mount --bind "$documents" "$root/run/flatpak/doc"; }
        [ -z "$id" ] || printf '[Application]\\nname=%s\\n[Context]\\nshared=%s;\\n' "$id" "$shared" > "$root/.flatpak-info"
        cd "$root"
        exec chroot "$root" /app/HostileCaller "$address"
        """

    /// Returns the command that runs `HostileCaller` in a new root.
    ///
    /// - Parameters:
    ///   - id: The Flatpak id in `/.flatpak-info`, or `nil` for a root without the file.
    ///   - folder: An empty folder, which becomes the root in the new namespace only.
    ///   - documents: The folder that is shown at `/run/flatpak/doc`.
    ///   - shared: The namespaces of the host that the Flatpak has, such as `network`.
    static func command(
        id: String?, address: String, folder: String, documents: String? = nil, shared: String = "network"
    ) throws -> [String] {
        let socket = address.replacingOccurrences(of: "unix:path=", with: "").split(separator: ",").first ?? ""
        let bus = URL(fileURLWithPath: String(socket)).deletingLastPathComponent().path
        let program = URL(fileURLWithPath: HostileProcess.program).deletingLastPathComponent().path
        return namespaces + [
            "sh", "-c", script, "sh", folder, bus, program, try runtimeFolder(), id ?? "", address,
            documents ?? "", shared,
        ]
    }

    /// Finds the folder of the Swift runtime, whose location depends on the installation.
    static func runtimeFolder() throws -> String {
        // Reads until the end of the file. Foundation's whole-file readers stop after the kernel's first chunk of a
        // file in /proc.
        let bytes = try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() ?? Data()
        let maps = String(decoding: bytes, as: UTF8.self)
        guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
            let path = line.split(separator: " ").last
        else { throw FixtureError("Swift's runtime is not found") }
        return URL(fileURLWithPath: String(path)).deletingLastPathComponent().path
    }
}
