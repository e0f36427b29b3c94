/* A screen reader's voice and a client's ear in one program, so that both have one clock.
 *
 * It signals moves on the accessibility bus as Orca does, ModeChanged and RegionChanged, and reads what a relay or
 * focusd makes of them at a Unix socket. focusd knows a screen reader by the first word of its command line: start it
 * with `exec -a orca`.
 *
 *   probe latency    --bus … --application NAME --socket PATH [--kind focusd|relay] [--moves N] [--rate N] [--elements N]
 *                    prints one latency a line, in nanoseconds, in the order of the moves; with --moments, the moment
 *                    of CLOCK_MONOTONIC at which each was given to the bus
 *   probe throughput …  [--moves N] [--window N]   prints moves and seconds
 *   probe hold       …  one move, and a line when it is done; then holds still until its standard input ends
 *   probe size       …  prints how many bytes one update has, with its NUL
 *   probe follow     …  goes where active-descendant-changed sends it, and for each prints how many nanoseconds it took
 *                    itself, from the event's arrival to its own signal; until its standard input ends
 *
 * With --call TEXT, the client makes this call with `more` instead of following the focus.
 */
#include "common.h"

static DBusConnection *bus;
static const char *application;
static bool isFocusd = true, printsMoments;
static int elements = 2, first = 0;
static struct inbox inbox;

static int element_of(int64_t move) { return FIRST_BUTTON + first + (int)(move % elements); }

static DBusMessage *signal_message(const char *member, const char *detail, int number, int element) {
    char path[64];
    const char *at = path;
    dbus_int32_t one = number, zero = 0;
    DBusMessage *message =
        dbus_message_new_signal("/org/a11y/atspi/screenreader", "org.a11y.atspi.Event.ScreenReader", member);
    DBusMessageIter to, variant, inside;
    snprintf(path, sizeof path, ACCESSIBLE_PREFIX "%d", element);
    dbus_message_iter_init_append(message, &to);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_STRING, &detail);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &one);
    dbus_message_iter_append_basic(&to, DBUS_TYPE_INT32, &zero);
    dbus_message_iter_open_container(&to, DBUS_TYPE_VARIANT, "(so)", &variant);
    dbus_message_iter_open_container(&variant, DBUS_TYPE_STRUCT, NULL, &inside);
    dbus_message_iter_append_basic(&inside, DBUS_TYPE_STRING, &application);
    dbus_message_iter_append_basic(&inside, DBUS_TYPE_OBJECT_PATH, &at);
    dbus_message_iter_close_container(&variant, &inside);
    dbus_message_iter_close_container(&to, &variant);
    dbus_message_iter_open_container(&to, DBUS_TYPE_ARRAY, "{sv}", &inside);
    dbus_message_iter_close_container(&to, &inside);
    return message;
}

/* Returns when RegionChanged was given to the bus. */
static int64_t signal_move(int64_t move) {
    DBusMessage *mode = signal_message("ModeChanged", "focus-tracking", 1, element_of(move));
    DBusMessage *region = signal_message("RegionChanged", "", 0, element_of(move));
    dbus_connection_send(bus, mode, NULL);
    dbus_connection_flush(bus);
    int64_t time = now_ns();
    dbus_connection_send(bus, region, NULL);
    dbus_connection_flush(bus);
    dbus_message_unref(mode);
    dbus_message_unref(region);
    return time;
}

/* Whether a message tells of this move: the relay's always do, focusd's name the element. */
static bool tells_of(char *message, size_t length, int64_t move) {
    if (!isFocusd) return true;
    char wanted[96];
    static const char key[] = "\"element\":", pathKey[] = "\"path\":\"";
    char *element = memmem(message, length, key, sizeof key - 1);
    if (!element) return false;
    char *path = memmem(element, length - (size_t)(element - message), pathKey, sizeof pathKey - 1);
    if (!path) return false;
    int count = snprintf(wanted, sizeof wanted, ACCESSIBLE_PREFIX "%d\"", element_of(move));
    return strncmp(path + sizeof pathKey - 1, wanted, (size_t)count) == 0;
}

/* Moves once and waits for the word of it, so that what follows finds the technology known; returns the word's size.
 * focusd may still be looking for the bus: it is told again, for the same element is no second move to it. */
static size_t first_move(int64_t move) {
    size_t length;
    struct pollfd descriptor = {.fd = inbox.descriptor, .events = POLLIN};
    int64_t giveUp = now_ns() + PATIENCE_SECONDS * INT64_C(1000000000), again = 0;
    while (now_ns() < giveUp) {
        if (now_ns() >= again) {
            signal_move(move);
            again = isFocusd ? now_ns() + 250000000 : giveUp;
        }
        if (!poll_until(&descriptor, 1, again)) continue;
        if (!inbox_read(&inbox)) die("the server closed the connection");
        for (char *message; (message = inbox_take(&inbox, &length));)
            if (tells_of(message, length, move)) return length + 1;
    }
    errno = ETIMEDOUT;
    die("nobody tells of the first move");
}

static void *allocate(int64_t count) {
    void *memory = calloc((size_t)count, sizeof(int64_t));
    if (!memory) die("memory");
    return memory;
}

static void latency(int64_t moves, double rate) {
    int64_t *sent = allocate(moves), *received = allocate(moves);
    int64_t sending = 0, receiving = 0, begin = now_ns(), interval = (int64_t)(1e9 / rate);
    int64_t giveUp = begin + interval * moves + 5000000000;
    struct pollfd descriptor = {.fd = inbox.descriptor, .events = POLLIN};
    while (receiving < moves) {
        int64_t next = begin + interval * sending;
        if (sending < moves && now_ns() >= next) {
            sent[sending] = signal_move(sending);
            sending++;
            continue;
        }
        if (poll_until(&descriptor, 1, sending < moves ? next : giveUp)) {
            if (!inbox_read(&inbox)) die("the server closed the connection");
            int64_t time = now_ns();
            size_t length;
            for (char *message; receiving < sending && (message = inbox_take(&inbox, &length));)
                if (tells_of(message, length, receiving)) received[receiving++] = time;
        } else if (now_ns() > giveUp) {
            fprintf(stderr, "probe: %lld moves were never told of\n", (long long)(moves - receiving));
            exit(3);
        }
    }
    for (int64_t move = 0; move < moves; move++)
        printf("%lld\n", (long long)(printsMoments ? sent[move] : received[move] - sent[move]));
}

static void throughput(int64_t moves, int64_t window) {
    int64_t sending = 0, receiving = 0, begin = now_ns();
    while (receiving < moves) {
        /* Half a window at a time, so that neither side is woken for each single one. */
        if (sending < moves && sending - receiving <= window / 2)
            for (int64_t until = receiving + window; sending < moves && sending < until;) signal_move(sending++);
        size_t length;
        char *message = inbox_wait(&inbox, &length);
        if (tells_of(message, length, receiving)) receiving++;
    }
    printf("%lld %.6f\n", (long long)moves, (double)(now_ns() - begin) / 1e9);
}

/* Says that the move is done, then only answers what the bus brings, until the standard input ends. */
static void hold(void) {
    struct pollfd descriptors[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = bus_descriptor(bus), .events = POLLIN}};
    puts("holding");
    fflush(stdout);
    do {
        while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS) {}
        dbus_connection_flush(bus);
        poll_until(descriptors, 2, -1);
    } while (!descriptors[0].revents && dbus_connection_read_write(bus, 0));
}

/* The element that an event sends this screen reader to; false where it is another message. */
static bool read_target(DBusMessage *message, const char **name, const char **path) {
    DBusMessageIter at, variant, inside;
    if (!dbus_message_is_signal(message, "org.a11y.atspi.Event.Object", "ActiveDescendantChanged")) return false;
    if (!dbus_message_has_signature(message, "siiva{sv}") || !dbus_message_iter_init(message, &at)) return false;
    for (int skipped = 0; skipped < 3; skipped++) dbus_message_iter_next(&at);
    dbus_message_iter_recurse(&at, &variant);
    if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_STRUCT) return false;
    dbus_message_iter_recurse(&variant, &inside);
    dbus_message_iter_get_basic(&inside, name);
    dbus_message_iter_next(&inside);
    dbus_message_iter_get_basic(&inside, path);
    return true;
}

static DBusHandlerResult follow_event(DBusConnection *from, DBusMessage *message, void *nothing) {
    (void)from, (void)nothing;
    const char *path, *name;
    int64_t arrived = now_ns();
    if (!read_target(message, &name, &path)) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    application = name;
    signal_move(atoi(strrchr(path, '/') + 1) - FIRST_BUTTON - first);
    printf("%lld\n", (long long)(now_ns() - arrived));
    fflush(stdout);
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void follow(void) {
    elements = 1 << 24;
    if (!dbus_connection_add_filter(bus, follow_event, NULL, NULL)) die("memory");
    hold();
}

int main(int argc, char **argv) {
    const char *call = "{\"method\":\"io.focusd.Focus.GetFocus\",\"parameters\":{},\"more\":true}";
    const char *address = NULL, *socketPath = NULL, *task = argc > 1 ? argv[1] : "";
    int64_t moves = 2000, window = 64;
    double rate = 200;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'},      {"application", required_argument, 0, 'a'},
        {"socket", required_argument, 0, 's'},   {"kind", required_argument, 0, 'k'},
        {"moves", required_argument, 0, 'n'},    {"rate", required_argument, 0, 'r'},
        {"elements", required_argument, 0, 'e'}, {"window", required_argument, 0, 'w'},
        {"first", required_argument, 0, 'f'},    {"call", required_argument, 0, 'c'},
        {"moments", no_argument, 0, 'm'},
        {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'b': address = optarg; break;
        case 'a': application = optarg; break;
        case 's': socketPath = optarg; break;
        case 'k': isFocusd = strcmp(optarg, "focusd") == 0; break;
        case 'n': moves = atoll(optarg); break;
        case 'r': rate = atof(optarg); break;
        case 'e': elements = atoi(optarg); break;
        case 'w': window = atoll(optarg); break;
        case 'f': first = atoi(optarg); break;
        case 'c': call = optarg; break;
        case 'm': printsMoments = true; break;
        default: return 2;
        }
    }
    if (!address || !application || !socketPath || elements < 2 || rate <= 0 || moves < 1) return 2;

    bus = connect_bus(address);
    inbox.descriptor = connect_socket(socketPath);
    if (isFocusd) send_all(inbox.descriptor, call, strlen(call) + 1);
    /* ORDER: the first word of either server says that it knows this client; before it a move could be missed. */
    size_t length;
    inbox_wait(&inbox, &length);
    /* The last element of the round: the moves that count begin at the first. */
    first_move(elements - 1);
    if (strcmp(task, "size") == 0) {
        printf("%zu\n", first_move(0));
    } else if (strcmp(task, "latency") == 0) {
        latency(moves, rate);
    } else if (strcmp(task, "throughput") == 0) {
        throughput(moves, window);
    } else if (strcmp(task, "hold") == 0) {
        hold();
    } else if (strcmp(task, "follow") == 0) {
        follow();
    } else {
        return 2;
    }
    return 0;
}
