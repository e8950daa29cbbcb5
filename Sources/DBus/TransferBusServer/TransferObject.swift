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
        ("Directory", "directory", .string("")), ("Constraints", "constraints", .dictionary([:])),
    ]

    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Transfer1 at /org/transferd/transfer/NUMBER: one transfer.

            An app reaches its own, the command line all; of others' and of what is not there a caller is told
            org.freedesktop.DBus.Error.UnknownObject alike. One that is over is no longer listed below the path, and can
            still be read as long as the daemon remembers it.
            Who has read a property is told of changes from then on, by PropertiesChanged sent to it alone: at most four
            times a second for progress, its end always.
          -->
          <interface name="org.transferd.Transfer1">
            <!-- Why it waits: as Explain of the manager. -->
            <method name="Explain"><arg name="explanation" type="a{sv}" direction="out"/></method>
            <!-- Stops it, keeping its bytes, until it is resumed. -->
            <method name="Pause"/>
            <!-- Lets it go on after Pause; ends the wait after a failure. -->
            <method name="Resume"/>
            <!-- Ends it and removes what there is of it. -->
            <method name="Cancel"/>
            <!-- Makes it user-initiated: it waits for no policy, only for what it asks for itself. -->
            <method name="StartNow"/>
            <!-- Changes what it asks for: as Change of the manager. -->
            <method name="Change"><arg name="changes" type="a{sv}" direction="in"/></method>
            <property name="Id" type="x" access="read"/>
            <!-- Without user, password, query and fragment. -->
            <property name="Url" type="s" access="read"/>
            <!-- What a person knows it by. -->
            <property name="Name" type="s" access="read"/>
            <property name="App" type="s" access="read"/>
            <!-- The app's session; empty where it belongs to none. -->
            <property name="Session" type="s" access="read"/>
            <property name="Upload" type="b" access="read"/>
            <!-- userInitiated, normal or discretionary. -->
            <property name="Kind" type="s" access="read"/>
            <!-- 0 to 1000, higher first. -->
            <property name="Priority" type="x" access="read"/>
            <!-- waiting, running, paused, finished, failed or cancelled. -->
            <property name="State" type="s" access="read"/>
            <property name="Bytes" type="x" access="read"/>
            <!-- All of its bytes; -1 where that is not known. -->
            <property name="Total" type="x" access="read"/>
            <!-- Bytes a second; -1 where it does not run. -->
            <property name="Rate" type="x" access="read"/>
            <!-- The attempt that runs or ran last; 0 before the first since the daemon's start. -->
            <property name="Attempt" type="x" access="read"/>
            <!-- When it was handed over: RFC 3339. -->
            <property name="Submitted" type="s" access="read"/>
            <!-- Where the file lies; of an upload, where it comes from. -->
            <property name="Path" type="s" access="read"/>
            <!-- The server's status of one that is over, else 0. -->
            <property name="Status" type="x" access="read"/>
            <property name="ErrorCode" type="s" access="read"/>
            <property name="Error" type="s" access="read"/>
            <!-- The folder that it goes to; empty once it is over. -->
            <property name="Directory" type="s" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
            <!-- What it asks for, by the keys of Submit. -->
            <property name="Constraints" type="a{sv}" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
          </interface>
        </node>
        """
}
