// SPDX-License-Identifier: Apache-2.0

/// The interface that an app exports on its own bus name.
package enum AppInterface {
    /// The introspection document.
    package static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.App1 on an app's well-known bus name. The object path is derived from that name as for
            org.freedesktop.Application: a leading slash, slashes instead of dots, and underscores instead of hyphens.

            The daemon calls this interface when a background session needs its app. The bus starts the app if it is not
            running. The app must then open the session with this identifier again. The app receives the
            unacknowledged events after that.
          -->
          <interface name="org.transferd.App1">
            <!-- A session has events for the app. Reply within 30 seconds, after the app has accepted the call. -->
            <method name="HandleEventsForBackgroundURLSession">
              <arg name="identifier" type="s" direction="in"/>
            </method>
          </interface>
        </node>
        """
}
