// SPDX-License-Identifier: Apache-2.0
import URLSessionRepair

/// The result of installing the URLSession repair.
struct Repair: Hashable, Sendable {
    /// A Boolean value that indicates whether the repair is active.
    var isAtWork: Bool
    /// A sentence for the user about the repair. `nil` if the repair was tested with this build, or is switched off.
    var warning: String?

    /// Creates the result of an installation.
    ///
    /// - Parameters:
    ///   - state: The state of the installation: complete or absent, and tested or not.
    ///   - reason: The reason why the repair is absent.
    ///   - build: The build number of FoundationNetworking, or an empty string if the build has no number.
    ///   - isEnabled: Whether the configuration asks for the repair.
    init(state: transfer_urlsession_repair_state, reason: String, build: String, isEnabled: Bool) {
        isAtWork = isEnabled && state != transfer_urlsession_repair_absent
        guard isEnabled, state != transfer_urlsession_repair_tested else { return }
        let name = "FoundationNetworking (\(build.isEmpty ? "a build without a number" : "build \(build)"))"
        warning =
            isAtWork
            ? """
            The repair of URLSession was never tested with this \(name). All of its checks hold, so that it is at work; \
            where transfers fail or the worker ends, set TRANSFER_URLSESSION_REPAIR=off and report the build.
            """
            : """
            Nothing of the repair of URLSession could be put into \(name): \(reason). Transfers are slower, and servers \
            can end the worker; build with a toolchain that the repair was tested with.
            """
    }

    /// Installs the repair or changes its options. Afterward, the repair is either completely installed or absent.
    static func install(isEnabled: Bool, bufferSize: Int, caFile: String?, proxy: String?) -> Repair {
        func run(_ caFile: UnsafePointer<CChar>?, _ proxy: UnsafePointer<CChar>?) -> Repair {
            var options = transfer_urlsession_repair_options(
                enabled: isEnabled ? 1 : 0, buffer_size: bufferSize, ca_file: caFile, proxy: proxy)
            let state = transfer_urlsession_repair_install(&options)
            return Repair(
                state: state, reason: String(cString: transfer_urlsession_repair_reason()),
                build: String(cString: transfer_urlsession_foundation_build()), isEnabled: isEnabled)
        }
        switch (caFile, proxy) {
        case (let caFile?, let proxy?): return caFile.withCString { file in proxy.withCString { run(file, $0) } }
        case (let caFile?, nil): return caFile.withCString { run($0, nil) }
        case (nil, let proxy?): return proxy.withCString { run(nil, $0) }
        case (nil, nil): return run(nil, nil)
        }
    }
}
