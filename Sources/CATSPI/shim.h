/* libatspi: only what joins libdbus to a GLib main context.
   Declared and not included: its header would bring GLib and libdbus into a second module. */
#pragma once
struct DBusConnection;
struct _GMainContext;
void atspi_dbus_connection_setup_with_g_main(struct DBusConnection *connection, struct _GMainContext *context);
