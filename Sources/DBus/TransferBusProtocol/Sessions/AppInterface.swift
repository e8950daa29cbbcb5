// SPDX-License-Identifier: Apache-2.0

/// The interface that an app exports on its own bus name.
package enum AppInterface {
    /// The introspection document.
    package static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.App1 on an app's well-known name, at the path made from that name: a slash before it, its dots as
            slashes, its hyphens as underscores, as org.freedesktop.Application has it.

            The daemon calls it when a background session needs its app, and has the bus start the app for that. An app that
            does not run is to make the session of that identifier again, and is then told what waited.
          -->
          <interface name="org.transferd.App1">
            <!-- A session has something for the app. Answered once the app has taken the call, within 30 seconds. -->
            <method name="HandleEventsForBackgroundURLSession">
              <arg name="identifier" type="s" direction="in"/>
            </method>
          </interface>
        </node>
        """
}
