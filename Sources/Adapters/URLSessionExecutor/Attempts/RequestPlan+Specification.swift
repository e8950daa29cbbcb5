// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

extension RequestPlan {
    /// Creates the plan of an attempt that begins now.
    init(_ specification: TransferSpecification, _ environment: ExecutorEnvironment) {
        self.init(
            url: specification.url, headers: specification.headers,
            cookies: specification.headers.firstValue("Cookie") == nil ? specification.cookies ?? [] : [],
            userAgent: environment.configuration.userAgent,
            logins: LoginPlan(specification), proxy: environment.proxy(for: specification.url),
            allowsInsecureRedirect: specification.allowsInsecureRedirect,
            allowsLocalRedirect: environment.configuration.allowsLocalRedirects && !specification.isSandboxed,
            staysOnLoopback: specification.traits.isLoopback, now: MonotonicTime.wallSeconds())
    }
}
