/* A bare libdbus filter that counts the signals that some match rules let through, and does nothing with them.
 *
 *   count-events --bus ADDRESS --count COUNT RULE…
 *
 * Prints a line when it listens; then, when so many have come, the moment of CLOCK_MONOTONIC in nanoseconds, and the
 * microseconds of processor time that it took from the first of them.
 */
#include "common.h"
#include <sys/resource.h>

static long count, wanted;
static int64_t processorBefore;

static int64_t processor_us(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

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

int main(int argc, char **argv) {
    const char *address = NULL;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'}, {"count", required_argument, 0, 'n'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'n') wanted = atol(optarg);
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
    dbus_connection_add_filter(bus, filter, NULL, NULL);
    puts("listening");
    fflush(stdout);
    while (dbus_connection_read_write_dispatch(bus, -1)) {}
    return 1;
}
