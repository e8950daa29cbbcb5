// SPDX-License-Identifier: Apache-2.0

extension CustomConditionSource {
    /// The definitions that a user only has to name, as in `[condition.load]`. None of them is read before.
    public static let shipped: [CustomConditionSource] = [
        // The share of the last ten seconds in which work had to wait for the processor, see Documentation/accounting/psi.rst
        // of the kernel.
        shipped(
            "load",
            .command([
                "awk", #"/^some/ { sub("avg10=", "", $2); print ($2 < 20 ? "low" : "high") }"#, "/proc/pressure/cpu",
            ]), values: ["low", "high"], debounce: .seconds(20), ["high": "the processor is busy"]),
        shipped(
            "locked",
            .property(
                .init(
                    isOnSystemBus: true, service: "org.freedesktop.login1",
                    path: "/org/freedesktop/login1/session/auto",
                    interface: "org.freedesktop.login1.Session", name: "LockedHint")),
            values: ["true", "false"], ["false": "the screen is in use"]),
        shipped(
            "banners", .command(["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"]),
            values: ["true", "false"], ["false": "notifications are turned off"]),
        shipped(
            "recording",
            .command([
                "sh", "-c", "dump=$(pw-dump) || exit 1; case $dump in *Stream/Input*) echo yes;; *) echo no;; esac",
            ]),
            values: ["yes", "no"], interval: .seconds(10), ["yes": "the camera or the microphone is in use"]),
    ]

    private static func shipped(
        _ name: String, _ origin: Origin, values: [String], interval: Duration = .seconds(30),
        debounce: Duration = .seconds(1), _ sentences: [String: String]
    ) -> CustomConditionSource {
        var source = CustomConditionSource(name, origin, values: values)
        (source.interval, source.debounce, source.sentences) = (interval, debounce, sentences)
        return source
    }
}
