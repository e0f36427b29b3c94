/* The least that reads the accessible ids of a whole application: it takes the paths from GetItems and then asks each for
 * AccessibleId, with so many questions under way.
 *
 *   read-ids --bus ADDRESS --application NAME [--window COUNT] [--rounds COUNT]
 *
 * Prints one line a round: how many ids were read, and milliseconds, without the time of GetItems.
 */
#include "walk.h"

static char **paths;
static size_t count;

static void take_paths(DBusMessage *reply) {
    DBusMessageIter to, list, item, pair;
    size_t capacity = 0;
    dbus_message_iter_init(reply, &to);
    dbus_message_iter_recurse(&to, &list);
    for (; dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_STRUCT; dbus_message_iter_next(&list)) {
        const char *path;
        dbus_message_iter_recurse(&list, &item);
        dbus_message_iter_recurse(&item, &pair);
        dbus_message_iter_next(&pair);
        dbus_message_iter_get_basic(&pair, &path);
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            paths = realloc(paths, capacity * sizeof *paths);
        }
        if (!paths || !(paths[count++] = strdup(path))) die("memory");
    }
}

static void ask(DBusConnection *bus, const char *application, const char *path) {
    const char *interface = "org.a11y.atspi.Accessible", *property = "AccessibleId";
    DBusMessage *call = dbus_message_new_method_call(application, path, DBUS_INTERFACE_PROPERTIES, "Get");
    dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property, DBUS_TYPE_INVALID);
    dbus_connection_send(bus, call, NULL);
    dbus_message_unref(call);
}

int main(int argc, char **argv) {
    const char *address = NULL, *application = NULL;
    size_t window = 64, bytes = 0;
    int rounds = 1;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'},    {"application", required_argument, 0, 'a'},
        {"window", required_argument, 0, 'w'}, {"rounds", required_argument, 0, 'n'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'a') application = optarg;
        else if (option == 'w') window = strtoul(optarg, NULL, 10);
        else if (option == 'n') rounds = atoi(optarg);
        else return 2;
    }
    if (!address || !application || window < 1) return 2;
    DBusConnection *bus = connect_bus(address);
    take_paths(get_items(bus, application));
    struct pollfd descriptor = {.fd = bus_descriptor(bus), .events = POLLIN};
    while (rounds-- > 0) {
        size_t asked = 0, answered = 0;
        int64_t begin = now_ns();
        while (answered < count) {
            /* Half a window at a time, so that neither side is woken for each single one. */
            if (asked - answered <= window / 2)
                while (asked < count && asked - answered < window) ask(bus, application, paths[asked++]);
            dbus_connection_flush(bus);
            if (!poll_until(&descriptor, 1, now_ns() + PATIENCE_SECONDS * INT64_C(1000000000))) die("no answer");
            if (!dbus_connection_read_write(bus, 0)) die("the bus is gone");
            for (DBusMessage *reply; (reply = dbus_connection_pop_message(bus)); dbus_message_unref(reply)) {
                int type = dbus_message_get_type(reply);
                DBusMessageIter to, inside;
                if (type != DBUS_MESSAGE_TYPE_METHOD_RETURN && type != DBUS_MESSAGE_TYPE_ERROR) continue;
                answered++;
                if (type == DBUS_MESSAGE_TYPE_ERROR) continue;
                const char *id;
                dbus_message_iter_init(reply, &to);
                dbus_message_iter_recurse(&to, &inside);
                dbus_message_iter_get_basic(&inside, &id);
                bytes += strlen(id);
            }
        }
        printf("%zu %.3f\n", answered, (double)(now_ns() - begin) / 1e6);
        fflush(stdout);
    }
    fprintf(stderr, "%zu bytes\n", bytes);
    return 0;
}
