// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The transfer object's interface and properties on the bus.
enum TransferObject {
    /// Converts the fields of `Show` to properties. D-Bus has no null, so an unknown value becomes the property's
    /// placeholder, such as an empty string or -1.
    static func properties(of fields: [String: VariantValue]) -> [String: VariantValue] {
        var properties: [String: VariantValue] = [:]
        for (name, key, unknown) in keys { properties[name] = fields[key] ?? unknown }
        return properties
    }

    /// Returns the properties that a change signal carries.
    static func changes(of fields: [String: VariantValue]) -> [String: VariantValue] {
        var properties = properties(of: fields)
        // Only `Show` has these values, so change signals omit them.
        properties["Directory"] = nil
        properties["Constraints"] = nil
        return properties
    }

    private static let keys: [(name: String, key: String, unknown: VariantValue)] = [
        ("Id", "id", .integer(0)), ("Url", "url", .string("")), ("Name", "name", .string("")),
        ("App", "app", .string("")), ("Session", "session", .string("")), ("Upload", "upload", .bool(false)),
        ("Kind", "kind", .string("")), ("Priority", "priority", .integer(0)), ("State", "state", .string("")),
        ("Bytes", "bytes", .integer(0)), ("Total", "total", .integer(-1)), ("Rate", "rate", .integer(-1)),
        ("Attempt", "attempt", .integer(0)), ("Submitted", "submitted", .string("")), ("Path", "path", .string("")),
        ("Status", "status", .integer(0)), ("ErrorCode", "error-code", .string("")), ("Error", "error", .string("")),
        ("Deadline", "deadline", .string("")), ("DeadlineState", "deadline-state", .string("")),
        ("Directory", "directory", .string("")), ("Constraints", "constraints", .dictionary([:])),
    ]

    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Transfer1 at /org/transferd/transfer/NUMBER: a transfer.

            An app can access its own transfers. The user (transferctl beside the daemon; app name person) can access
            all transfers. For a transfer that does not exist, and for a transfer of another app, the caller receives
            the same error, org.freedesktop.DBus.Error.UnknownObject. A transfer that has ended is no longer listed
            below the path, but can be read as long as the daemon remembers it.

            A caller that has read a property receives later changes by PropertiesChanged, sent to this caller only.
            Progress is reported at most four times per second. The end is always reported.
          -->
          <interface name="org.transferd.Transfer1">
            <!-- Returns the reasons that the transfer waits, as Explain of the manager does. -->
            <method name="Explain"><arg name="explanation" type="a{sv}" direction="out"/></method>
            <!-- Stops the transfer until it is resumed. Keeps its bytes. -->
            <method name="Pause"/>
            <!-- Continues the transfer after Pause. Ends the wait after a failure. -->
            <method name="Resume"/>
            <!-- Cancels the transfer and removes its partial files. -->
            <method name="Cancel"/>
            <!--
              Makes the transfer user-initiated. The transfer then waits only for its own constraints, not for the
              policy. Also resumes a paused transfer. Refused for apps in the background.
            -->
            <method name="StartNow"/>
            <!-- Changes the transfer's kind, priority, and constraints, as Change of the manager does. -->
            <method name="Change"><arg name="changes" type="a{sv}" direction="in"/></method>
            <!-- The ID of the transfer, as in List of the manager. -->
            <property name="Id" type="x" access="read"/>
            <!-- The URL without user name, password, query, and fragment. -->
            <property name="Url" type="s" access="read"/>
            <!-- The display name. -->
            <property name="Name" type="s" access="read"/>
            <!-- The name of the app that submitted the transfer; person for the user; empty if unknown. -->
            <property name="App" type="s" access="read"/>
            <!-- The identifier of the app's session; empty if the transfer belongs to no session. -->
            <property name="Session" type="s" access="read"/>
            <!-- Whether the transfer is an upload; false for a download. -->
            <property name="Upload" type="b" access="read"/>
            <!-- userInitiated, normal, or discretionary. -->
            <property name="Kind" type="s" access="read"/>
            <!-- 0 to 1,000. Transfers with higher values start first. -->
            <property name="Priority" type="x" access="read"/>
            <!-- waiting, running, paused, finished, failed, or cancelled. -->
            <property name="State" type="s" access="read"/>
            <!-- The number of transferred bytes; 0 before the first byte. -->
            <property name="Bytes" type="x" access="read"/>
            <!-- The total size in bytes; -1 if unknown. -->
            <property name="Total" type="x" access="read"/>
            <!-- Bytes per second; -1 if the transfer is not running. -->
            <property name="Rate" type="x" access="read"/>
            <!-- The number of the current or latest attempt; 0 before the first attempt since the daemon's start. -->
            <property name="Attempt" type="x" access="read"/>
            <!-- The date of submission (RFC 3339). -->
            <property name="Submitted" type="s" access="read"/>
            <!-- The date by which the transfer should end (RFC 3339); empty if there is none. -->
            <property name="Deadline" type="s" access="read"/>
            <!--
              atRisk if the transfer can no longer end by its deadline at the estimated rate, and missed after the
              deadline; empty otherwise. Each state is set once.
            -->
            <property name="DeadlineState" type="s" access="read"/>
            <!-- The path of the file. For an upload, the path of the source. -->
            <property name="Path" type="s" access="read"/>
            <!-- The server's HTTP status after the end of the transfer; 0 before. -->
            <property name="Status" type="x" access="read"/>
            <!-- The code of the latest error; empty if there is none. -->
            <property name="ErrorCode" type="s" access="read"/>
            <!-- A description of the latest error for users; empty if there is none. -->
            <property name="Error" type="s" access="read"/>
            <!-- The destination folder; empty after the end of the transfer. -->
            <property name="Directory" type="s" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
            <!-- The constraints, with the keys of Submit. -->
            <property name="Constraints" type="a{sv}" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
          </interface>
        </node>
        """
}
