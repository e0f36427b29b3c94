/* A bare libdbus filter that counts the signals that some match rules let through, and does nothing with them.
 *
 *   count-events --bus ADDRESS --count COUNT [--register EVENT] RULE…
 *
 * With --register the registry is told first that it wants such events, as a screen reader does: GTK 3 has no cache
 * until somebody wants some.
 *
 * Prints a line when it listens; then, when so many have come, the moment of CLOCK_MONOTONIC in nanoseconds, and the
 * microseconds of processor time that it took from the first of them.
 */
#include "common.h"

static long count, wanted;
static int64_t processorBefore;

static DBusHandlerResult filter(DBusConnection *bus, DBusMessage *message, void *data) {
    (void)bus, (void)data;
    const char *interface = dbus_message_get_interface(message);
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL || !interface ||
        strncmp(interface, "org.a11y.atspi.", 15) != 0)
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    if (count++ == 0) processorBefore = processor_us();
    if (count == wanted) {
        printf("%lld %lld\n", (long long)now_ns(), (long long)(processor_us() - processorBefore));
        exit(0);
    }
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void register_event(DBusConnection *bus, const char *event) {
    DBusMessage *call = dbus_message_new_method_call(
        "org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "RegisterEvent");
    const char **none = NULL, *empty = "";
    dbus_message_append_args(
        call, DBUS_TYPE_STRING, &event, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &none, 0, DBUS_TYPE_STRING, &empty,
        DBUS_TYPE_INVALID);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 10000, NULL);
    if (!reply) die("RegisterEvent");
    dbus_message_unref(reply);
    dbus_message_unref(call);
}

int main(int argc, char **argv) {
    const char *address = NULL, *event = NULL;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'}, {"count", required_argument, 0, 'n'}, {"register", required_argument, 0, 'r'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'n') wanted = atol(optarg);
        else if (option == 'r') event = optarg;
        else return 2;
    }
    if (!address || wanted < 1 || optind == argc) return 2;
    DBusConnection *bus = connect_bus(address);
    DBusError error;
    dbus_error_init(&error);
    for (; optind < argc; optind++) {
        dbus_bus_add_match(bus, argv[optind], &error);
        if (dbus_error_is_set(&error)) {
            fprintf(stderr, "%s: %s\n", argv[optind], error.message);
            return 1;
        }
    }
    if (event) register_event(bus, event);
    dbus_connection_add_filter(bus, filter, NULL, NULL);
    puts("listening");
    fflush(stdout);
    while (dbus_connection_read_write_dispatch(bus, -1)) {}
    return 1;
}
