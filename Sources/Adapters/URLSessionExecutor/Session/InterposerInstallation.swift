// SPDX-License-Identifier: Apache-2.0
import URLSessionInterposer

/// The result of installing the URLSession interposer.
struct InterposerInstallation: Hashable, Sendable {
    /// A Boolean value that indicates whether the interposer is active.
    var isActive: Bool
    /// A sentence for the user about the interposer. `nil` if the interposer was tested with this build, or is switched
    /// off.
    var warning: String?
    /// The error that makes every transfer impossible because libcurl could not be loaded. `nil` if libcurl is loaded.
    var error: URLSessionExecutorError?

    /// Creates the result of an installation.
    ///
    /// - Parameters:
    ///   - state: The state of the installation: complete or absent, and tested or not; or that libcurl is missing.
    ///   - reason: The reason why the interposer is absent or why libcurl could not be loaded.
    ///   - build: The build number of FoundationNetworking, or an empty string if the build has no number.
    ///   - isEnabled: Whether the configuration enables the interposer.
    init(state: transfer_urlsession_interposer_state, reason: String, build: String, isEnabled: Bool) {
        guard state != transfer_urlsession_interposer_no_libcurl else {
            isActive = false
            error = URLSessionExecutorError(
                code: .missingLibcurl,
                message: "libcurl cannot be loaded: \(reason). Install it; on Debian, the package is libcurl4.")
            return
        }
        isActive = isEnabled && state != transfer_urlsession_interposer_absent
        guard isEnabled, state != transfer_urlsession_interposer_tested else { return }
        let name = "FoundationNetworking (\(build.isEmpty ? "unknown build" : "build \(build)"))"
        warning =
            isActive
            ? """
            The URLSession interposer is active but untested with \(name). If transfers fail or the worker crashes, set \
            TRANSFER_URLSESSION_INTERPOSER=off and report the build.
            """
            : """
            The URLSession interposer could not be installed in \(name): \(reason). Transfers are slower, and servers \
            can crash the worker. Build with a toolchain that the interposer was tested with.
            """
    }

    /// Installs the interposer or changes its options. Afterward, the interposer is either completely installed or
    /// absent.
    static func install(
        isEnabled: Bool, bufferSize: Int, blockSize: Int, caFile: String?, proxy: String?
    ) -> InterposerInstallation {
        func run(_ caFile: UnsafePointer<CChar>?, _ proxy: UnsafePointer<CChar>?) -> InterposerInstallation {
            var options = transfer_urlsession_interposer_options(
                enabled: isEnabled ? 1 : 0, buffer_size: bufferSize, block_size: blockSize, ca_file: caFile,
                proxy: proxy, bodies: DirectBodies.functions)
            let state = transfer_urlsession_interposer_install(&options)
            return InterposerInstallation(
                state: state, reason: String(cString: transfer_urlsession_interposer_reason()),
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
