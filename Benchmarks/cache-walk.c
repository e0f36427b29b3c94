/* The least that reads a whole application: one Cache.GetItems, and a walk over every value of the answer.
 *
 *   cache-walk --bus ADDRESS --application NAME [--rounds COUNT]
 *
 * Prints one line a round: how many accessibles, the bytes of their names, descriptions and paths, milliseconds, and
 * milliseconds of processor time.
 */
#include "walk.h"

/* Of what was read, so that nothing of the walk can be left out. */
static uint64_t sum;

static size_t read_string(DBusMessageIter *at) {
    const char *text;
    dbus_message_iter_get_basic(at, &text);
    size_t length = strlen(text);
    for (size_t index = 0; index < length; index++) sum += (unsigned char)text[index];
    dbus_message_iter_next(at);
    return length;
}

static uint32_t read_number(DBusMessageIter *at) {
    dbus_uint32_t number;
    dbus_message_iter_get_basic(at, &number);
    sum += number;
    dbus_message_iter_next(at);
    return number;
}

/* Returns the length of the path. */
static size_t read_reference(DBusMessageIter *at) {
    DBusMessageIter pair;
    dbus_message_iter_recurse(at, &pair);
    read_string(&pair);
    size_t length = read_string(&pair);
    dbus_message_iter_next(at);
    return length;
}

static void read_array(DBusMessageIter *at) {
    DBusMessageIter inside;
    dbus_message_iter_recurse(at, &inside);
    for (int type; (type = dbus_message_iter_get_arg_type(&inside)) != DBUS_TYPE_INVALID;) {
        if (type == DBUS_TYPE_STRUCT) read_reference(&inside);
        else if (type == DBUS_TYPE_STRING) read_string(&inside);
        else read_number(&inside);
    }
    dbus_message_iter_next(at);
}

/* One item of either signature: ((so)(so)(so)iiassusau), or the older ((so)(so)(so)a(so)assusau). */
static size_t read_item(DBusMessageIter *at) {
    DBusMessageIter item;
    dbus_message_iter_recurse(at, &item);
    size_t bytes = read_reference(&item);
    read_reference(&item);
    read_reference(&item);
    if (dbus_message_iter_get_arg_type(&item) == DBUS_TYPE_ARRAY) {
        read_array(&item);
    } else {
        read_number(&item);
        read_number(&item);
    }
    read_array(&item);
    bytes += read_string(&item);
    read_number(&item);
    bytes += read_string(&item);
    read_array(&item);
    dbus_message_iter_next(at);
    return bytes;
}

int main(int argc, char **argv) {
    const char *address = NULL, *application = NULL;
    int rounds = 1;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'}, {"application", required_argument, 0, 'a'}, {"rounds", required_argument, 0, 'n'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'a') application = optarg;
        else if (option == 'n') rounds = atoi(optarg);
        else return 2;
    }
    if (!address || !application) return 2;
    DBusConnection *bus = connect_bus(address);
    while (rounds-- > 0) {
        size_t count = 0, bytes = 0;
        int64_t begin = now_ns(), used = processor_us();
        DBusMessage *reply = get_items(bus, application);
        DBusMessageIter to, list;
        if (!dbus_message_has_signature(reply, "a((so)(so)(so)iiassusau)") &&
            !dbus_message_has_signature(reply, "a((so)(so)(so)a(so)assusau)")) {
            fputs("cache-walk: the answer has another signature\n", stderr);
            return 1;
        }
        dbus_message_iter_init(reply, &to);
        dbus_message_iter_recurse(&to, &list);
        for (; dbus_message_iter_get_arg_type(&list) != DBUS_TYPE_INVALID; count++) bytes += read_item(&list);
        printf(
            "%zu %zu %.3f %.3f\n", count, bytes, (double)(now_ns() - begin) / 1e6, (double)(processor_us() - used) / 1e3);
        fflush(stdout);
        dbus_message_unref(reply);
    }
    return sum == 0;
}
