// SPDX-License-Identifier: Apache-2.0

/// The session object's interface on the bus.
enum SessionObject {
    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Session1 at /org/transferd/session/APP__IDENTIFIER: an app's session, as far as its transfers
            tell. Letters and digits stand for themselves in the two names, any other byte is an underscore and two
            hexadecimal digits.

            An app reaches its own sessions, the command line all. A session is listed as long as it has transfers that are
            not over; its owner may ask for it at any time. Who has read a property is told of changes from then on, by
            PropertiesChanged sent to it alone.

            Post, Tasks, Acknowledge, Close and Event are for the process that has opened the session as a background
            session, by OpenSession of the manager.

            Keys of a task: task (x, its number in the session, 1 or more; at most 10 000 numbers may be left out),
            upload-file (s, an absolute path; a download where there is none), of a new one upload-fd (h, the file itself,
            open for reading; a program in a sandbox has to pass it), request (a{sv}: url (s), method (s), headers (a{sv} of s), timeout (d, seconds), cellular
            (b)), note (s), priority (d, 0 to 1), earliest-begin (x, nanoseconds since 1970 in UTC), expects-to-send,
            expects-to-receive (x, bytes, -1 where nobody knows), suspended, over (b), received, sent, total (x, bytes),
            response (a{sv}: url (s), status (x), headers (a{sv} of s)), continues (s, the token of a cancelled task whose
            bytes it goes on with).
          -->
          <interface name="org.transferd.Session1">
            <!-- The session's transfers: as List of the manager, with the same filter but session and app. -->
            <method name="List">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="aa{sv}" direction="out"/>
            </method>
            <!-- Stops all of its transfers, keeping their bytes, until they are resumed. -->
            <method name="PauseAll"/>
            <!-- Lets all of its transfers go on. -->
            <method name="ResumeAll"/>
            <!-- Ends all of its transfers and removes what there is of them. -->
            <method name="CancelAll"/>
            <!--
              Has something done to a task; it is durably stored when the answer comes. The same order may be given twice.

              Keys: order (s) and what it needs. submit: snapshot (a{sv}, a task of a new number). change: snapshot, of which
              note, priority, earliest-begin and what is expected are taken over. suspend, resume, cancel: task (x).
              cancel-keeping: task, token (s, by which a new task continues its bytes). begin, the answer to will-begin:
              task, reply (s: as-before, with, cancel, unasked), request (a{sv}, with "with"). answer, that to challenged:
              task, reply (s: credential, token, none, cancel), user, password (s, with "credential"), token (s, with
              "token").
            -->
            <method name="Post"><arg name="order" type="a{sv}" direction="in"/></method>
            <!-- The file of the event of that number, open for reading, until that is acknowledged. -->
            <method name="Open">
              <arg name="number" type="x" direction="in"/>
              <arg name="file" type="h" direction="out"/>
            </method>
            <!-- The tasks that are not over, by number. -->
            <method name="Tasks"><arg name="tasks" type="aa{sv}" direction="out"/></method>
            <!-- The app has dealt with the event of that number, and with its task's earlier ones: they are not told again. -->
            <method name="Acknowledge"><arg name="number" type="x" direction="in"/></method>
            <!-- The caller has done with the session; its tasks go on. -->
            <method name="Close"/>
            <!--
              Something happened; told to the process that has the session open alone, in order. What has a number is told
              again to the next process unless it is acknowledged.

              Keys: event (s), number (x), task (x), and by the event: received, sent: bytes, total (x, total missing where
              it is not known). continued: bytes (x, where it goes on), total. responded: response (a{sv}). downloaded: path
              (s, the finished file, there until that is acknowledged). body: body (ay, of the answer to an upload).
              completed: error-code (x, of Foundation's URLError) and error (s), missing where the server answered.
              will-begin: request (a{sv}). challenged: challenge (a{sv}: scheme (s), realm (s), host (s), port (x), secure
              (b), refusals (x)). called: nothing more; the session needs its app, which runs in the background.
              finished-events: all that waited has been told. invalidated: refusal (a{sv}: code, message (s), owner (x)),
              missing where the session was ended in order.
            -->
            <signal name="Event"><arg name="event" type="a{sv}"/></signal>
            <!-- What the app calls it. -->
            <property name="Identifier" type="s" access="read"/>
            <property name="App" type="s" access="read"/>
            <!-- Its transfers that are not over. -->
            <property name="Transfers" type="ao" access="read"/>
            <!-- running, waiting, paused; idle where none is left. -->
            <property name="State" type="s" access="read"/>
          </interface>
        </node>
        """
}
