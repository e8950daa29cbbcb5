// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A Flatpak app that the test builds without any network: one program, and a runtime that contains only the loader.
struct FlatpakApp {
    /// The reason that the app cannot be built or run here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flatpak") else { return "not installed: flatpak" }
        guard let folder = try? TemporaryFolder(),
            let making = try? build(HostileProcess.program, in: folder.path), making.waitOnThisThread() == 0
        else { return "mount namespaces are not allowed here" }
        let app = FlatpakApp(in: folder.path)
        let run = try? ChildProcess(
            "/usr/bin/env", app.command(), environment: app.environment, output: folder.path + "/run.log")
        // Without a bus address, the program prints its usage and exits with status 2.
        return run?.waitOnThisThread() == 2 ? nil : "mount namespaces are not allowed here"
    }()

    let environment: [String: String]

    private static let script = """
        set -e
        cd "$1"
        mkdir -p runtime/usr/bin runtime/usr/lib runtime/files app/files/bin app/files/lib app/export house
        program=$(basename "$2")
        cp "$2" app/files/bin/
        ldd "$2" | while read -r name arrow path rest; do
            case "$name $arrow" in
                /*) mkdir -p "runtime/usr$(dirname "$name")"; cp -L "$name" "runtime/usr$name" ;;
                *"=>") [ ! -f "$path" ] || cp -L "$path" app/files/lib/ ;;
            esac
        done
        platform=org.example.Platform/$(flatpak --default-arch)/1
        printf '[Runtime]\\nname=org.example.Platform\\nruntime=%s\\nsdk=%s\\n' "$platform" "$platform" > runtime/metadata
        printf '[Application]\\nname=%s\\nruntime=%s\\nsdk=%s\\ncommand=%s\\n' "$3" "$platform" "$platform" \
            "$program" > app/metadata
        printf '[Session Bus Policy]\\norg.transferd=talk\\n[Environment]\\nLD_LIBRARY_PATH=/app/lib\\n' >> app/metadata
        flatpak build-export --runtime repository runtime 1
        flatpak build-export repository app 1
        flatpak --user remote-add --no-gpg-verify here "file://$1/repository"
        flatpak --user install -y --noninteractive here org.example.Platform//1 "$3//1"
        """

    private init(in folder: String) {
        environment = [
            "HOME": folder + "/house", "XDG_DATA_HOME": folder + "/house/data", "FLATPAK_USER_DIR": folder + "/user",
        ]
    }

    /// Builds the app and installs it in a folder.
    init(folder: String, program: String = HostileProcess.program) async throws {
        self.init(in: folder)
        guard try await Self.build(program, in: folder).wait(within: 120) == 0 else {
            let log = (try? String(contentsOfFile: folder + "/flatpak.log", encoding: .utf8)) ?? ""
            throw FixtureError("flatpak: \(log.suffix(500))")
        }
    }

    private static func build(_ program: String, in folder: String) throws -> ChildProcess {
        let words = ["-c", script, "sh", folder, program, HostileFixture.sandboxedApp]
        return try ChildProcess(
            "/bin/sh", words, environment: FlatpakApp(in: folder).environment, output: folder + "/flatpak.log")
    }

    /// Returns the words that run the app, as arguments for env(1).
    func command(_ options: [String] = [], arguments: [String] = []) -> [String] {
        environment.map { "\($0.key)=\($0.value)" } + ["flatpak", "--user", "run"] + options + [
            HostileFixture.sandboxedApp
        ]
            + arguments
    }
}
