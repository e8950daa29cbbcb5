// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A sandbox as Flatpak makes it, as far as a daemon can see: a mount root of its own that holds `/.flatpak-info` and in
/// which the home folder and the tests' folders are missing.
struct CallerRoot {
    /// Why it cannot be made here; nil when it can.
    static let unavailabilityReason: String? = {
        guard let folder = try? TemporaryFolder() else { return "no temporary folder" }
        let words = namespaces + ["mount", "-t", "tmpfs", "hostile", folder.path]
        // Inside of the namespace the folder is covered, for this process it is not.
        let status = try? ChildProcess("/usr/bin/env", words, output: folder.path + "/log").wait(within: 30)
        return status == 0 ? nil : "mounting is not allowed here"
    }()

    /// The command that runs another in mount namespaces of its own.
    private static var namespaces: [String] {
        ["unshare", "--mount"] + (getuid() == 0 ? [] : ["--user", "--map-root-user"])
    }

    /// Mounts what a program needs to run, the bus's socket, and nothing else.
    private static let script = """
        set -e
        root=$1 bus=$2 program=$3 runtime=$4 id=$5 address=$6 documents=$7
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
        [ -z "$id" ] || printf '[Application]\\nname=%s\\n' "$id" > "$root/.flatpak-info"
        cd "$root"
        exec chroot "$root" /app/HostileCaller "$address"
        """

    /// The command that runs `HostileCaller` in such a root.
    ///
    /// - Parameters:
    ///   - id: the Flatpak id that `/.flatpak-info` has; nil for a root without that file.
    ///   - folder: an empty folder that becomes the root, in the new namespace only.
    ///   - documents: what is shown at `/run/flatpak/doc`.
    static func command(
        id: String?, address: String, folder: String, documents: String? = nil
    ) throws -> [String] {
        let socket = address.replacingOccurrences(of: "unix:path=", with: "").split(separator: ",").first ?? ""
        let bus = URL(fileURLWithPath: String(socket)).deletingLastPathComponent().path
        let program = URL(fileURLWithPath: HostileProcess.program).deletingLastPathComponent().path
        return namespaces + [
            "sh", "-c", script, "sh", folder, bus, program, try runtimeFolder(), id ?? "", address,
            documents ?? "",
        ]
    }

    /// The folder of Swift's runtime, which lies anywhere.
    static func runtimeFolder() throws -> String {
        // To its end: of such a file, Foundation takes the first piece that the kernel gives for the whole.
        let bytes = try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() ?? Data()
        let maps = String(decoding: bytes, as: UTF8.self)
        guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
            let path = line.split(separator: " ").last
        else { throw TestTrouble("Swift's runtime is not found") }
        return URL(fileURLWithPath: String(path)).deletingLastPathComponent().path
    }
}
