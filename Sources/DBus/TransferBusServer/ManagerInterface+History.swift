// SPDX-License-Identifier: Apache-2.0

extension ManagerInterface {
    /// The methods for the history, as a part of the introspection document.
    static let historyMembers = """
            <!--
              Returns the first page of the history since a date (RFC 3339). Keys: transfers (aa{sv}: id, name, url,
              app, session, kind, priority, host, upload, deadline, status, bytes, path, moments (aa{sv}: time, event:
              submitted, started, paused, retried, finished, failed, cancelled, note; at most the latest 1,000)); for
              the user also conditions, which follow all transfers (aa{sv}: start, end, power, level, network, linkKind,
              metered, asleep); next (s, the position for HistoryFrom; missing on the last page).
            -->
            <method name="History">
              <arg name="since" type="s" direction="in"/>
              <arg name="page" type="a{sv}" direction="out"/>
            </method>
            <!--
              Returns the page of the history at a position: the value of next of the preceding page. A page may be
              empty before the last page.
            -->
            <method name="HistoryFrom">
              <arg name="since" type="s" direction="in"/>
              <arg name="position" type="s" direction="in"/>
              <arg name="page" type="a{sv}" direction="out"/>
            </method>
            <!-- Returns the history of a transfer, with the keys of a transfer in History. -->
            <method name="Log">
              <arg name="id" type="x" direction="in"/>
              <arg name="transfer" type="a{sv}" direction="out"/>
            </method>
        """
}
