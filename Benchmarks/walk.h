/* What the programs share that read an application's cache: the question, and a walk over all that the answer says. */
#ifndef FOCUSD_BENCHMARKS_WALK_H
#define FOCUSD_BENCHMARKS_WALK_H

#include "common.h"

/* The limit of one answer: 100,000 nodes are 30 MB, and an application may be busy with something else. */
enum { CACHE_MILLISECONDS = 60000 };

/* One GetItems; ends the program where there is no answer. */
static inline DBusMessage *get_items(DBusConnection *bus, const char *application) {
    DBusError error;
    DBusMessage *call =
        dbus_message_new_method_call(application, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems");
    dbus_error_init(&error);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, CACHE_MILLISECONDS, &error);
    if (!reply) {
        fprintf(stderr, "%s: GetItems: %s\n", application, error.message);
        exit(1);
    }
    dbus_message_unref(call);
    return reply;
}

#endif
