/* A small application on the accessibility bus: application / frame / panel / buttons. It answers what is asked of an
 * accessible, and on demand floods the bus with other events of its own, about buttons that nobody is on.
 *
 *   application --bus ADDRESS [--buttons COUNT] [--storm EVENTS_A_SECOND]
 *
 * Prints its bus name when it is ready. Then each line of its standard input is a rate of events a second; it answers
 * with how many events it has sent since the line before. It ends when its standard input ends.
 */
#include "common.h"

enum { ROLE_FRAME = 23, ROLE_PANEL = 39, ROLE_PUSH_BUTTON = 43, ROLE_APPLICATION = 75 };
enum { STATE_ACTIVE = 1, STATE_ENABLED = 8, STATE_FOCUSABLE = 11, STATE_SENSITIVE = 24, STATE_SHOWING = 25, STATE_VISIBLE = 30 };

static DBusConnection *bus;
static const char *own_name;
static int buttons = 200;

/* -1 the application, 1 the frame, 2 the panel, from FIRST_BUTTON on the buttons; 0 where there is none. */
static int object_at(const char *path) {
    if (!path || strncmp(path, ACCESSIBLE_PREFIX, strlen(ACCESSIBLE_PREFIX)) != 0) return 0;
    path += strlen(ACCESSIBLE_PREFIX);
    if (strcmp(path, "root") == 0) return -1;
    int number = atoi(path);
    return number >= 1 && number < FIRST_BUTTON + buttons ? number : 0;
}

static void append_reference(DBusMessageIter *to, int object) {
    char path[64];
    const char *name = own_name, *at = path;
    DBusMessageIter pair;
    if (object == -1) strcpy(path, ROOT_PATH);
    else if (object == 0) strcpy(path, "/org/a11y/atspi/null");
    else snprintf(path, sizeof path, ACCESSIBLE_PREFIX "%d", object);
    if (object == 0) name = "";
    dbus_message_iter_open_container(to, DBUS_TYPE_STRUCT, NULL, &pair);
    dbus_message_iter_append_basic(&pair, DBUS_TYPE_STRING, &name);
    dbus_message_iter_append_basic(&pair, DBUS_TYPE_OBJECT_PATH, &at);
    dbus_message_iter_close_container(to, &pair);
}

static int parent_of(int object) {
    return object == -1 ? 0 : object == 1 ? -1 : object == 2 ? 1 : 2;
}

static int child_count(int object) {
    return object == -1 || object == 1 ? 1 : object == 2 ? buttons : 0;
}

static void append_string(DBusMessageIter *to, const char *text) {
    dbus_message_iter_append_basic(to, DBUS_TYPE_STRING, &text);
}

static void append_states(DBusMessageIter *to, int object) {
    uint64_t states = 1u << STATE_ENABLED | 1u << STATE_SENSITIVE | 1u << STATE_SHOWING | 1u << STATE_VISIBLE;
    if (object == -1) states = 0;
    if (object == 1) states |= 1u << STATE_ACTIVE;
    if (object >= FIRST_BUTTON) states |= 1u << STATE_FOCUSABLE;
    DBusMessageIter words;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "u", &words);
    for (int word = 0; word < 2; word++) {
        dbus_uint32_t value = (dbus_uint32_t)(states >> (32 * word));
        dbus_message_iter_append_basic(&words, DBUS_TYPE_UINT32, &value);
    }
    dbus_message_iter_close_container(to, &words);
}

static bool append_property(DBusMessageIter *to, int object, const char *name) {
    DBusMessageIter inside;
    char text[64] = "";
    if (strcmp(name, "Parent") == 0) {
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "(so)", &inside);
        append_reference(&inside, parent_of(object));
    } else if (strcmp(name, "ChildCount") == 0) {
        dbus_int32_t count = child_count(object);
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "i", &inside);
        dbus_message_iter_append_basic(&inside, DBUS_TYPE_INT32, &count);
    } else {
        if (strcmp(name, "Name") == 0) {
            if (object == -1) strcpy(text, "benchmark");
            else if (object == 1) strcpy(text, "Benchmark window");
            else if (object >= FIRST_BUTTON) snprintf(text, sizeof text, "Button number %d", object - FIRST_BUTTON);
        } else if (strcmp(name, "AccessibleId") == 0) {
            if (object >= FIRST_BUTTON) snprintf(text, sizeof text, "button-%d", object - FIRST_BUTTON);
        } else if (strcmp(name, "ToolkitName") == 0) {
            strcpy(text, "benchmark");
        } else if (strcmp(name, "Locale") == 0) {
            strcpy(text, "C");
        } else if (strcmp(name, "Version") == 0) {
            strcpy(text, "1");
        } else if (strcmp(name, "Description") != 0 && strcmp(name, "HelpText") != 0) {
            return false;
        }
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "s", &inside);
        append_string(&inside, text);
    }
    dbus_message_iter_close_container(to, &inside);
    return true;
}

static void append_children(DBusMessageIter *to, int object) {
    DBusMessageIter children;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "(so)", &children);
    int first = object == -1 ? 1 : object == 1 ? 2 : FIRST_BUTTON;
    for (int child = 0; child < child_count(object); child++) append_reference(&children, first + child);
    dbus_message_iter_close_container(to, &children);
}

static void append_interfaces(DBusMessageIter *to, int object) {
    DBusMessageIter names;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "s", &names);
    append_string(&names, "org.a11y.atspi.Accessible");
    if (object == -1) append_string(&names, "org.a11y.atspi.Application");
    else append_string(&names, "org.a11y.atspi.Component");
    if (object >= FIRST_BUTTON) append_string(&names, "org.a11y.atspi.Action");
    dbus_message_iter_close_container(to, &names);
}

static void append_attributes(DBusMessageIter *to) {
    DBusMessageIter entries, entry;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "{ss}", &entries);
    dbus_message_iter_open_container(&entries, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    append_string(&entry, "toolkit");
    append_string(&entry, "benchmark");
    dbus_message_iter_close_container(&entries, &entry);
    dbus_message_iter_close_container(to, &entries);
}

static dbus_uint32_t role_of(int object) {
    return object == -1 ? ROLE_APPLICATION : object == 1 ? ROLE_FRAME : object == 2 ? ROLE_PANEL : ROLE_PUSH_BUTTON;
}

static const char *role_name_of(int object) {
    return object == -1 ? "application" : object == 1 ? "frame" : object == 2 ? "panel" : "push button";
}

static void answer(DBusMessage *call) {
    int object = object_at(dbus_message_get_path(call));
    const char *member = dbus_message_get_member(call);
    DBusMessage *reply = dbus_message_new_method_return(call);
    DBusMessageIter to;
    bool isKnown = true;
    dbus_message_iter_init_append(reply, &to);
    if (object == 0) {
        isKnown = false;
    } else if (strcmp(member, "GetRole") == 0) {
        dbus_uint32_t role = role_of(object);
        dbus_message_iter_append_basic(&to, DBUS_TYPE_UINT32, &role);
    } else if (strcmp(member, "GetState") == 0) {
        append_states(&to, object);
    } else if (strcmp(member, "GetInterfaces") == 0) {
        append_interfaces(&to, object);
    } else if (strcmp(member, "GetChildren") == 0) {
        append_children(&to, object);
    } else if (strcmp(member, "GetRoleName") == 0) {
        append_string(&to, role_name_of(object));
    } else if (strcmp(member, "GetRelationSet") == 0) {
        DBusMessageIter relations;
        dbus_message_iter_open_container(&to, DBUS_TYPE_ARRAY, "(ua(so))", &relations);
        dbus_message_iter_close_container(&to, &relations);
    } else if (strcmp(member, "GetApplication") == 0) {
        append_reference(&to, -1);
    } else if (strcmp(member, "GetAttributes") == 0) {
        append_attributes(&to);
    } else if (strcmp(member, "GetIndexInParent") == 0) {
        dbus_int32_t index = object >= FIRST_BUTTON ? object - FIRST_BUTTON : object == -1 ? -1 : 0;
        dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &index);
    } else if (strcmp(member, "Get") == 0) {
        const char *interface, *name;
        isKnown = dbus_message_get_args(
                      call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID) &&
                  append_property(&to, object, name);
    } else {
        isKnown = false;
    }
    if (!isKnown) {
        dbus_message_unref(reply);
        reply = dbus_message_new_error(
            call, object == 0 ? DBUS_ERROR_UNKNOWN_OBJECT : DBUS_ERROR_UNKNOWN_METHOD, "the benchmark has no such thing");
    }
    if (!dbus_message_get_no_reply(call)) dbus_connection_send(bus, reply, NULL);
    dbus_message_unref(reply);
}

/* One event with the modern body `siiva{sv}`. */
static void emit(int object, const char *member, const char *detail, int first, int second, int about, const char *text) {
    char path[64];
    snprintf(path, sizeof path, ACCESSIBLE_PREFIX "%d", object);
    DBusMessage *event = dbus_message_new_signal(path, "org.a11y.atspi.Event.Object", member);
    DBusMessageIter to, inside;
    dbus_int32_t numbers[2] = {first, second};
    dbus_message_iter_init_append(event, &to);
    append_string(&to, detail);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &numbers[0]);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &numbers[1]);
    if (about) {
        dbus_message_iter_open_container(&to, DBUS_TYPE_VARIANT, "(so)", &inside);
        append_reference(&inside, about);
    } else {
        dbus_message_iter_open_container(&to, DBUS_TYPE_VARIANT, "s", &inside);
        append_string(&inside, text);
    }
    dbus_message_iter_close_container(&to, &inside);
    dbus_message_iter_open_container(&to, DBUS_TYPE_ARRAY, "{sv}", &inside);
    dbus_message_iter_close_container(&to, &inside);
    dbus_connection_send(bus, event, NULL);
    dbus_message_unref(event);
}

/* A mixture as of a busy window. Never about the first 100 buttons: those are for the screen reader. */
static void emit_one_of_storm(int64_t number) {
    int object = FIRST_BUTTON + 100 + (int)(number / 5 % (buttons - 100));
    switch (number % 5) {
    case 0: emit(object, "StateChanged", "enabled", (int)(number / 5 % 2), 0, 0, ""); break;
    case 1: emit(object, "PropertyChange", "accessible-name", 0, 0, 0, "another name"); break;
    case 2: emit(object, "TextChanged", "insert", 3, 5, 0, "hello"); break;
    case 3: emit(2, "ChildrenChanged", number / 5 % 2 ? "add" : "remove", object - FIRST_BUTTON, 0, object, NULL); break;
    default: emit(object, "StateChanged", "showing", (int)(number / 5 % 2), 0, 0, ""); break;
    }
}

int main(int argc, char **argv) {
    const char *address = NULL;
    double rate = 0;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'}, {"buttons", required_argument, 0, 'n'}, {"storm", required_argument, 0, 'r'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'n') buttons = atoi(optarg);
        else if (option == 'r') rate = atof(optarg);
        else return 2;
    }
    if (!address || buttons <= 100) {
        fputs("application: needs --bus, and more than 100 buttons\n", stderr);
        return 2;
    }
    bus = connect_bus(address);
    own_name = dbus_bus_get_unique_name(bus);
    printf("%s\n", own_name);
    fflush(stdout);

    struct pollfd descriptors[2] = {
        {.fd = bus_descriptor(bus), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    int64_t sent = 0, sentBefore = 0, begin = now_ns(), number = 0;
    for (;;) {
        int64_t until = rate > 0 ? begin + (int64_t)((double)(sent - sentBefore) * 1e9 / rate) : -1;
        poll_until(descriptors, 2, until);
        if (descriptors[0].revents && !dbus_connection_read_write(bus, 0)) return 0;
        DBusMessage *message;
        while ((message = dbus_connection_pop_message(bus))) {
            if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) answer(message);
            dbus_message_unref(message);
        }
        if (rate > 0) {
            int64_t due = (int64_t)((double)(now_ns() - begin) * rate / 1e9);
            while (sent - sentBefore <= due) {
                emit_one_of_storm(number++);
                sent++;
            }
        }
        dbus_connection_flush(bus);
        if (descriptors[1].revents) {
            char line[64];
            ssize_t count = read(STDIN_FILENO, line, sizeof line - 1);
            if (count <= 0) return 0;
            line[count] = 0;
            printf("%lld %.6f\n", (long long)(sent - sentBefore), (double)(now_ns() - begin) / 1e9);
            fflush(stdout);
            rate = atof(line);
            begin = now_ns();
            sentBefore = sent;
        }
    }
}
