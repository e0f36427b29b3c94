/* A large application on the accessibility bus: application / frame / sections of ten rows / nine leaves in each row. It
 * makes itself known to the registry, answers what is asked of an accessible, and on demand changes its tree.
 *
 *   tree-application --bus ADDRESS --nodes COUNT [--name NAME] [--no-cache]
 *
 * Without a cache it knows no GetItems and has to be walked. Prints its bus name when it is ready. Each line of its
 * standard input is a command:
 *
 *   events COUNT   that many signals, as fast as the bus takes them; the last gives a leaf the name that is answered:
 *                  the moments of CLOCK_MONOTONIC in nanoseconds at which the first was given to the bus and the last
 *                  had left, then the name
 *   rate RATE      so many signals a second from now on; answered with how many were sent since the line before, and
 *                  in how many seconds
 *   calls          answered with how many calls it was sent since the line before
 *
 * It ends when its standard input ends. What it signals is true: who asks afterwards is told the same.
 */
#include "common.h"

enum { ROLE_CHECK_BOX = 7, ROLE_FRAME = 23, ROLE_LABEL = 29, ROLE_LIST_ITEM = 32, ROLE_PANEL = 39, ROLE_PUSH_BUTTON = 43,
       ROLE_APPLICATION = 75, ROLE_ENTRY = 79 };
enum { STATE_ACTIVE = 1, STATE_ENABLED = 8, STATE_FOCUSABLE = 11, STATE_SENSITIVE = 24, STATE_SHOWING = 25, STATE_VISIBLE = 30 };
enum { APPLICATION = 0, FRAME = 1, FIRST_SECTION = 2 };
enum { LEAVES = 9, ROW = 1 + LEAVES, ROWS = 10, SECTION = 1 + ROWS * ROW };
/* How many rows have a child more than at the start while signals are sent. */
enum { ROWS_CHANGED_AT_ONCE = 8 };
/* Signals that are sent at once without a look at what others ask. */
enum { ANSWERS_AFTER = 100 };
enum { NONE = -1 };

static DBusConnection *bus;
static const char *own_name, *title = "tree";
static int nodes = 10000;
static bool hasCache = true;
/* By number: how often the name was changed, and whether it is disabled. */
static uint32_t *renamed;
static bool *disabled;
/* By the number of a row: its tenth child, or 0. By the number of a tenth child less `nodes`: its row, or NONE. */
static int *tenth, *rowOfTenth, tenths, tenthCapacity;
static DBusMessage *items;
/* The registry has answered. */
static bool isEmbedded;
static long long calls, sent;
/* Signals a second, since when, and how many had been sent then. */
static double rate;
static int64_t rateBegin;
static long long sentAtRate;

enum kind { IS_APPLICATION, IS_FRAME, IS_SECTION, IS_ROW, IS_LEAF, IS_TENTH };

static enum kind kind_of(int node) {
    if (node == APPLICATION) return IS_APPLICATION;
    if (node == FRAME) return IS_FRAME;
    if (node >= nodes) return IS_TENTH;
    int inside = (node - FIRST_SECTION) % SECTION;
    return inside == 0 ? IS_SECTION : (inside - 1) % ROW == 0 ? IS_ROW : IS_LEAF;
}

/* Whole ones only: the last of all may have fewer leaves. */
static int number_of_rows(void) {
    int rest = (nodes - FIRST_SECTION) % SECTION;
    return (nodes - FIRST_SECTION) / SECTION * ROWS + (rest > 0 ? (rest - 1) / ROW : 0);
}

static int row_at(int index) { return FIRST_SECTION + index / ROWS * SECTION + 1 + index % ROWS * ROW; }

static int parent_of(int node) {
    int inside = (node - FIRST_SECTION) % SECTION;
    switch (kind_of(node)) {
    case IS_APPLICATION: return NONE;
    case IS_FRAME: return APPLICATION;
    case IS_SECTION: return FRAME;
    case IS_ROW: return node - inside;
    case IS_LEAF: return node - (inside - 1) % ROW;
    default: return rowOfTenth[node - nodes];
    }
}

static int index_of(int node) {
    int inside = (node - FIRST_SECTION) % SECTION;
    switch (kind_of(node)) {
    case IS_APPLICATION: return -1;
    case IS_FRAME: return 0;
    case IS_SECTION: return (node - FIRST_SECTION) / SECTION;
    case IS_ROW: return (inside - 1) / ROW;
    case IS_LEAF: return (inside - 1) % ROW - 1;
    default: return LEAVES;
    }
}

static int up_to(int count, int most) { return count < 0 ? 0 : count < most ? count : most; }

static int child_count(int node) {
    switch (kind_of(node)) {
    case IS_APPLICATION: return 1;
    case IS_FRAME: return (nodes - FIRST_SECTION + SECTION - 1) / SECTION;
    case IS_SECTION: return up_to((nodes - node - 1 + ROW - 1) / ROW, ROWS);
    case IS_ROW: return up_to(nodes - node - 1, LEAVES) + (tenth[node] != 0);
    default: return 0;
    }
}

static int child_at(int node, int index) {
    switch (kind_of(node)) {
    case IS_APPLICATION: return FRAME;
    case IS_FRAME: return FIRST_SECTION + index * SECTION;
    case IS_SECTION: return node + 1 + index * ROW;
    default: return tenth[node] && index == child_count(node) - 1 ? tenth[node] : node + 1 + index;
    }
}

/* The number of what has this path and is still there, or NONE. */
static int node_at(const char *path) {
    if (!path || strncmp(path, ACCESSIBLE_PREFIX, strlen(ACCESSIBLE_PREFIX)) != 0) return NONE;
    path += strlen(ACCESSIBLE_PREFIX);
    if (strcmp(path, "root") == 0) return APPLICATION;
    int node = atoi(path);
    if (node < FRAME || node >= nodes + tenths) return NONE;
    return node < nodes || rowOfTenth[node - nodes] != NONE ? node : NONE;
}

static dbus_uint32_t role_of(int node) {
    static const dbus_uint32_t leaves[] = {ROLE_LABEL, ROLE_PUSH_BUTTON, ROLE_CHECK_BOX, ROLE_ENTRY};
    switch (kind_of(node)) {
    case IS_APPLICATION: return ROLE_APPLICATION;
    case IS_FRAME: return ROLE_FRAME;
    case IS_SECTION: return ROLE_PANEL;
    case IS_ROW: return ROLE_LIST_ITEM;
    default: return leaves[node % 4];
    }
}

static const char *role_name_of(int node) {
    static const char *const leaves[] = {"label", "push button", "check box", "entry"};
    switch (kind_of(node)) {
    case IS_APPLICATION: return "application";
    case IS_FRAME: return "frame";
    case IS_SECTION: return "panel";
    case IS_ROW: return "list item";
    default: return leaves[node % 4];
    }
}

enum { TEXT = 128 };

static void name_of(int node, char text[TEXT]) {
    static const char *const leaves[] = {"Sender of message %d", "Delete message %d", "Message %d is important", "Reply to message %d"};
    switch (kind_of(node)) {
    case IS_APPLICATION: snprintf(text, TEXT, "%s", title); break;
    case IS_FRAME: snprintf(text, TEXT, "%s: all messages", title); break;
    case IS_SECTION: snprintf(text, TEXT, "Messages of day %d", node); break;
    case IS_ROW: snprintf(text, TEXT, "Message %d, unread, from a friend", node); break;
    default:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, TEXT, leaves[node % 4], node);
#pragma GCC diagnostic pop
    }
    if (node < nodes && renamed[node]) {
        size_t length = strlen(text);
        snprintf(text + length, TEXT - length, " (%u)", renamed[node]);
    }
}

static void path_of(int node, char text[TEXT]) {
    if (node == APPLICATION) strcpy(text, ROOT_PATH);
    else if (node == NONE) strcpy(text, "/org/a11y/atspi/null");
    else snprintf(text, TEXT, ACCESSIBLE_PREFIX "%d", node);
}

static void append_string(DBusMessageIter *to, const char *text) {
    dbus_message_iter_append_basic(to, DBUS_TYPE_STRING, &text);
}

static void append_reference(DBusMessageIter *to, int node) {
    char path[TEXT];
    const char *at = path;
    DBusMessageIter pair;
    path_of(node, path);
    dbus_message_iter_open_container(to, DBUS_TYPE_STRUCT, NULL, &pair);
    append_string(&pair, node == NONE ? "" : own_name);
    dbus_message_iter_append_basic(&pair, DBUS_TYPE_OBJECT_PATH, &at);
    dbus_message_iter_close_container(to, &pair);
}

static void append_states(DBusMessageIter *to, int node) {
    dbus_uint32_t states[2] = {1u << STATE_SHOWING | 1u << STATE_VISIBLE | 1u << STATE_SENSITIVE, 0}, *at = states;
    if (node == APPLICATION) states[0] = 0;
    else if (node >= nodes || !disabled[node]) states[0] |= 1u << STATE_ENABLED;
    if (node == FRAME) states[0] |= 1u << STATE_ACTIVE;
    if (kind_of(node) >= IS_LEAF && role_of(node) != ROLE_LABEL) states[0] |= 1u << STATE_FOCUSABLE;
    DBusMessageIter words;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "u", &words);
    dbus_message_iter_append_fixed_array(&words, DBUS_TYPE_UINT32, &at, 2);
    dbus_message_iter_close_container(to, &words);
}

static void append_interfaces(DBusMessageIter *to, int node) {
    DBusMessageIter names;
    dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "s", &names);
    append_string(&names, "org.a11y.atspi.Accessible");
    if (node == APPLICATION) append_string(&names, "org.a11y.atspi.Application");
    else append_string(&names, "org.a11y.atspi.Component");
    if (kind_of(node) >= IS_LEAF) append_string(&names, "org.a11y.atspi.Action");
    dbus_message_iter_close_container(to, &names);
}

static void append_item(DBusMessageIter *to, int node) {
    char name[TEXT];
    DBusMessageIter item;
    dbus_int32_t index = index_of(node), count = child_count(node);
    dbus_uint32_t role = role_of(node);
    name_of(node, name);
    dbus_message_iter_open_container(to, DBUS_TYPE_STRUCT, NULL, &item);
    append_reference(&item, node);
    append_reference(&item, APPLICATION);
    append_reference(&item, parent_of(node));
    dbus_message_iter_append_basic(&item, DBUS_TYPE_INT32, &index);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_INT32, &count);
    append_interfaces(&item, node);
    append_string(&item, name);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_UINT32, &role);
    append_string(&item, "");
    append_states(&item, node);
    dbus_message_iter_close_container(to, &item);
}

/* The answer to GetItems: made once, and again only after a change. */
static DBusMessage *all_items(DBusMessage *call) {
    if (!items) {
        DBusMessageIter to, list;
        items = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN);
        dbus_message_iter_init_append(items, &to);
        dbus_message_iter_open_container(&to, DBUS_TYPE_ARRAY, "((so)(so)(so)iiassusau)", &list);
        for (int node = 0; node < nodes + tenths; node++)
            if (node < nodes || rowOfTenth[node - nodes] != NONE) append_item(&list, node);
        dbus_message_iter_close_container(&to, &list);
    }
    if (!call) return NULL;
    DBusMessage *reply = dbus_message_copy(items);
    dbus_message_set_reply_serial(reply, dbus_message_get_serial(call));
    dbus_message_set_destination(reply, dbus_message_get_sender(call));
    return reply;
}

static bool append_property(DBusMessageIter *to, int node, const char *name) {
    DBusMessageIter inside;
    char text[TEXT] = "";
    if (strcmp(name, "Parent") == 0) {
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "(so)", &inside);
        append_reference(&inside, parent_of(node));
    } else if (strcmp(name, "ChildCount") == 0 || strcmp(name, "Id") == 0) {
        dbus_int32_t count = name[0] == 'I' ? 0 : child_count(node);
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "i", &inside);
        dbus_message_iter_append_basic(&inside, DBUS_TYPE_INT32, &count);
    } else {
        if (strcmp(name, "Name") == 0) name_of(node, text);
        else if (strcmp(name, "AccessibleId") == 0) snprintf(text, sizeof text, "node-%d", node);
        else if (strcmp(name, "ToolkitName") == 0) strcpy(text, "benchmark");
        else if (strcmp(name, "Locale") == 0) strcpy(text, "C");
        else if (strcmp(name, "Version") == 0 || strcmp(name, "AtspiVersion") == 0) strcpy(text, "2.1");
        else if (strcmp(name, "Description") != 0 && strcmp(name, "HelpText") != 0) return false;
        dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, "s", &inside);
        append_string(&inside, text);
    }
    dbus_message_iter_close_container(to, &inside);
    return true;
}

static bool append_answer(DBusMessageIter *to, DBusMessage *call, int node) {
    const char *member = dbus_message_get_member(call), *interface, *name;
    DBusMessageIter inside;
    if (strcmp(member, "Get") == 0)
        return dbus_message_get_args(
                   call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID) &&
               append_property(to, node, name);
    if (strcmp(member, "GetRole") == 0) {
        dbus_uint32_t role = role_of(node);
        return dbus_message_iter_append_basic(to, DBUS_TYPE_UINT32, &role);
    }
    if (strcmp(member, "GetState") == 0) {
        append_states(to, node);
    } else if (strcmp(member, "GetInterfaces") == 0) {
        append_interfaces(to, node);
    } else if (strcmp(member, "GetChildren") == 0) {
        dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "(so)", &inside);
        for (int child = 0; child < child_count(node); child++) append_reference(&inside, child_at(node, child));
        dbus_message_iter_close_container(to, &inside);
    } else if (strcmp(member, "GetChildAtIndex") == 0) {
        dbus_int32_t index;
        if (!dbus_message_get_args(call, NULL, DBUS_TYPE_INT32, &index, DBUS_TYPE_INVALID)) return false;
        append_reference(to, index >= 0 && index < child_count(node) ? child_at(node, index) : NONE);
    } else if (strcmp(member, "GetIndexInParent") == 0) {
        dbus_int32_t index = index_of(node);
        dbus_message_iter_append_basic(to, DBUS_TYPE_INT32, &index);
    } else if (strcmp(member, "GetRoleName") == 0 || strcmp(member, "GetLocalizedRoleName") == 0) {
        append_string(to, role_name_of(node));
    } else if (strcmp(member, "GetApplication") == 0) {
        append_reference(to, APPLICATION);
    } else if (strcmp(member, "GetRelationSet") == 0) {
        dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "(ua(so))", &inside);
        dbus_message_iter_close_container(to, &inside);
    } else if (strcmp(member, "GetAttributes") == 0) {
        dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "{ss}", &inside);
        dbus_message_iter_close_container(to, &inside);
    } else {
        /* The registry sets the application's number. */
        return strcmp(member, "Set") == 0;
    }
    return true;
}

static void answer(DBusMessage *call) {
    calls++;
    int node = node_at(dbus_message_get_path(call));
    DBusMessage *reply = NULL;
    if (dbus_message_is_method_call(call, "org.a11y.atspi.Cache", "GetItems")) {
        if (hasCache) reply = all_items(call);
    } else if (node != NONE) {
        DBusMessageIter to;
        reply = dbus_message_new_method_return(call);
        dbus_message_iter_init_append(reply, &to);
        if (!append_answer(&to, call, node)) {
            dbus_message_unref(reply);
            reply = NULL;
        }
    }
    if (!reply)
        reply = dbus_message_new_error(
            call, node == NONE ? DBUS_ERROR_UNKNOWN_OBJECT : DBUS_ERROR_UNKNOWN_METHOD, "the benchmark has no such thing");
    if (!dbus_message_get_no_reply(call)) dbus_connection_send(bus, reply, NULL);
    dbus_message_unref(reply);
}

static void changed(void) {
    if (items) dbus_message_unref(items);
    items = NULL;
}

/* An event with the body `siiva{sv}`. What it is about is a node, a text, or neither. */
static void emit(int node, const char *member, const char *detail, int first, int about, const char *text) {
    char path[TEXT];
    path_of(node, path);
    DBusMessage *event = dbus_message_new_signal(path, "org.a11y.atspi.Event.Object", member);
    DBusMessageIter to, inside;
    dbus_int32_t numbers[2] = {first, 0};
    dbus_message_iter_init_append(event, &to);
    append_string(&to, detail);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &numbers[0]);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &numbers[1]);
    dbus_message_iter_open_container(&to, DBUS_TYPE_VARIANT, about != NONE ? "(so)" : text ? "s" : "i", &inside);
    if (about != NONE) append_reference(&inside, about);
    else if (text) append_string(&inside, text);
    else dbus_message_iter_append_basic(&inside, DBUS_TYPE_INT32, &numbers[1]);
    dbus_message_iter_close_container(&to, &inside);
    dbus_message_iter_open_container(&to, DBUS_TYPE_ARRAY, "{sv}", &inside);
    dbus_message_iter_close_container(&to, &inside);
    dbus_connection_send(bus, event, NULL);
    dbus_message_unref(event);
}

static void emit_cache(const char *member, int node) {
    DBusMessage *event = dbus_message_new_signal("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", member);
    DBusMessageIter to;
    dbus_message_iter_init_append(event, &to);
    if (strcmp(member, "AddAccessible") == 0) append_item(&to, node);
    else append_reference(&to, node);
    dbus_connection_send(bus, event, NULL);
    dbus_message_unref(event);
}

static int add_tenth(int row) {
    if (tenths == tenthCapacity) {
        tenthCapacity = tenthCapacity ? 2 * tenthCapacity : 1024;
        rowOfTenth = realloc(rowOfTenth, (size_t)tenthCapacity * sizeof *rowOfTenth);
        if (!rowOfTenth) die("memory");
    }
    rowOfTenth[tenths] = row;
    return tenth[row] = nodes + tenths++;
}

static void rename_leaf(int leaf, char name[TEXT]) {
    renamed[leaf]++;
    name_of(leaf, name);
    emit(leaf, "PropertyChange", "accessible-name", 0, NONE, name);
}

/* One of six in turn: a child comes in one row and one goes from another, a leaf gets another name, one another state. */
static void emit_next(void) {
    static int64_t number;
    static int gone;
    int rows = number_of_rows();
    int64_t round = number / 6;
    int row = row_at((int)(round % rows)), earlier = row_at((int)((round + rows - ROWS_CHANGED_AT_ONCE % rows) % rows));
    char name[TEXT];
    switch (number++ % 6) {
    case 0:
        if (!tenth[row]) add_tenth(row);
        emit_cache("AddAccessible", tenth[row]);
        break;
    case 1: emit(row, "ChildrenChanged", "add", child_count(row) - 1, tenth[row], NULL); break;
    case 2: rename_leaf(row + 1, name); break;
    case 3:
        disabled[row + 2] = !disabled[row + 2];
        emit(row + 2, "StateChanged", "enabled", !disabled[row + 2], NONE, NULL);
        break;
    case 4:
        gone = tenth[earlier];
        if (gone) {
            emit(earlier, "ChildrenChanged", "remove", child_count(earlier) - 1, gone, NULL);
            rowOfTenth[gone - nodes] = NONE;
            tenth[earlier] = 0;
        } else {
            /* The first few times nothing has come yet. */
            rename_leaf(earlier + 3, name);
        }
        break;
    default:
        if (gone) emit_cache("RemoveAccessible", gone);
        else rename_leaf(earlier + 4, name);
    }
}

static bool serve(void);

static void command(char *line) {
    static int64_t begin;
    static long long sentBefore;
    char name[TEXT];
    if (strncmp(line, "events ", 7) == 0) {
        long count = atol(line + 7);
        int64_t first = now_ns();
        for (long index = 1; index < count; index++) {
            emit_next();
            /* It goes on answering: who hears nothing for a second takes an application for stopped. */
            if (index % ANSWERS_AFTER == 0) {
                changed();
                if (!serve()) die("the bus is gone");
            }
        }
        /* Of the last row's, so that no other signal is about it. */
        rename_leaf(row_at(number_of_rows() - 1) + 5, name);
        sent += count;
        dbus_connection_flush(bus);
        changed();
        printf("%lld %lld %s\n", (long long)first, (long long)now_ns(), name);
    } else if (strncmp(line, "rate ", 5) == 0) {
        printf("%lld %.6f\n", sent - sentBefore, (double)(now_ns() - begin) / 1e9);
        rate = atof(line + 5);
        begin = rateBegin = now_ns();
        sentBefore = sentAtRate = sent;
    } else if (strcmp(line, "calls") == 0) {
        printf("%lld\n", calls);
        calls = 0;
    } else {
        printf("unknown command\n");
    }
    fflush(stdout);
}

static void *allocate(size_t size) {
    void *memory = calloc((size_t)nodes, size);
    if (!memory) die("memory");
    return memory;
}

/* Answers what came. False when the bus is gone. */
static bool serve(void) {
    DBusMessage *message;
    if (!dbus_connection_read_write(bus, 0)) return false;
    while ((message = dbus_connection_pop_message(bus))) {
        int type = dbus_message_get_type(message);
        if (type == DBUS_MESSAGE_TYPE_METHOD_CALL) answer(message);
        if (type == DBUS_MESSAGE_TYPE_METHOD_RETURN) isEmbedded = true;
        if (type == DBUS_MESSAGE_TYPE_ERROR) {
            fprintf(stderr, "tree-application: Embed: %s\n", dbus_message_get_error_name(message));
            exit(1);
        }
        dbus_message_unref(message);
    }
    dbus_connection_flush(bus);
    return true;
}

/* Tells the registry that this is an application. It is the only call that is made here. */
static void embed(void) {
    DBusMessage *call = dbus_message_new_method_call(
        "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Socket", "Embed");
    DBusMessageIter to;
    dbus_message_iter_init_append(call, &to);
    append_reference(&to, APPLICATION);
    dbus_connection_send(bus, call, NULL);
    dbus_message_unref(call);
    struct pollfd descriptor = {.fd = bus_descriptor(bus), .events = POLLIN};
    dbus_connection_flush(bus);
    while (!isEmbedded) {
        if (!poll_until(&descriptor, 1, now_ns() + 5000000000)) die("the registry does not answer");
        if (!serve()) die("the bus is gone");
    }
}

int main(int argc, char **argv) {
    const char *address = NULL;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'},  {"nodes", required_argument, 0, 'n'},
        {"name", required_argument, 0, 't'}, {"no-cache", no_argument, 0, 'c'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 'n') nodes = atoi(optarg);
        else if (option == 't') title = optarg;
        else if (option == 'c') hasCache = false;
        else return 2;
    }
    if (!address || nodes < FIRST_SECTION + 2 * SECTION) {
        fputs("tree-application: needs --bus, and more than two hundred nodes\n", stderr);
        return 2;
    }
    renamed = allocate(sizeof *renamed);
    disabled = allocate(sizeof *disabled);
    tenth = allocate(sizeof *tenth);
    bus = connect_bus(address);
    own_name = dbus_bus_get_unique_name(bus);
    embed();
    if (hasCache) all_items(NULL);
    printf("%s\n", own_name);
    fflush(stdout);

    struct pollfd descriptors[2] = {
        {.fd = bus_descriptor(bus), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    for (;;) {
        poll_until(descriptors, 2, rate > 0 ? rateBegin + (int64_t)((double)(sent - sentAtRate) * 1e9 / rate) : -1);
        if (!serve()) return 0;
        if (rate > 0) {
            int64_t due = (int64_t)((double)(now_ns() - rateBegin) * rate / 1e9);
            if (sent - sentAtRate <= due) changed();
            for (; sent - sentAtRate <= due; sent++) emit_next();
            dbus_connection_flush(bus);
        }
        if (descriptors[1].revents) {
            char lines[256];
            ssize_t count = read(STDIN_FILENO, lines, sizeof lines - 1);
            if (count <= 0) return 0;
            lines[count] = 0;
            for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) command(line);
        }
    }
}
