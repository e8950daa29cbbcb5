// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// Another user of the machine, who shares a folder with the user that runs the tests.
final class SecondUser: Sendable {
    /// The reason that no process of another user can be started here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        // In a user namespace, root may be the only user.
        guard geteuid() == 0, let folder = try? TemporaryFolder(), chown(folder.path, 65_534, 65_534) == 0 else {
            return "only root may act as another user"
        }
        guard let user = try? SecondUser(), (try? user.run("pass")) != nil else {
            return "setpriv or /usr/bin/python3 is missing"
        }
        return nil
    }()

    private static let words = [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "/usr/bin/python3", "-c",
    ]

    private let folder: TemporaryFolder
    /// A folder in which both users may make, rename, and remove everything.
    let shared: String

    init() throws {
        folder = try TemporaryFolder()
        shared = folder.path + "/shared"
        guard chmod(folder.path, 0o755) == 0, mkdir(shared, 0o700) == 0, chmod(shared, 0o777) == 0 else {
            throw FixtureError("cannot share \(folder.path)")
        }
    }

    /// Starts a program of Python in the shared folder, as the other user.
    func start(_ program: String) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", Self.words + ["import os\n" + program], output: "/dev/null",
            errors: folder.path + "/errors",
            directory: shared)
    }

    /// Runs a program of Python in the shared folder, as the other user, and waits on this thread for its end.
    func run(_ program: String) throws {
        guard try start(program).waitOnThisThread() == 0 else {
            throw FixtureError((try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? "no errors")
        }
    }
}
