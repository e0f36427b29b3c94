/* The least that can be done: a signal on the bus becomes bytes on a Unix socket. It knows nothing of the element.
 * A new client is greeted with the same bytes, so that it knows from when on it is heard.
 *
 *   relay --bus ADDRESS --socket PATH --bytes COUNT
 */
#include "common.h"

enum { MAXIMUM_CLIENTS = 256 };

int main(int argc, char **argv) {
    const char *address = NULL, *path = NULL;
    size_t count = 1;
    static const struct option options[] = {
        {"bus", required_argument, 0, 'b'}, {"socket", required_argument, 0, 's'}, {"bytes", required_argument, 0, 'n'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b') address = optarg;
        else if (option == 's') path = optarg;
        else if (option == 'n') count = strtoul(optarg, NULL, 10);
        else return 2;
    }
    if (!address || !path || count < 1) return 2;

    int listener = listen_socket(path);
    DBusConnection *bus = connect_bus(address);
    DBusError error;
    dbus_error_init(&error);
    dbus_bus_add_match(bus, "type='signal',interface='org.a11y.atspi.Event.ScreenReader'", &error);
    if (dbus_error_is_set(&error)) die(error.message);
    char *bytes = malloc(count);
    if (!bytes) die("memory");
    memset(bytes, 'x', count);
    /* By this crowd.c knows a move. */
    static const char element[] = "\"element\":";
    if (count > sizeof element) memcpy(bytes, element, sizeof element - 1);
    bytes[count - 1] = 0;

    struct pollfd descriptors[2 + MAXIMUM_CLIENTS] = {
        {.fd = bus_descriptor(bus), .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    nfds_t used = 2;
    for (;;) {
        dbus_connection_flush(bus);
        poll_until(descriptors, used, -1);
        if (descriptors[0].revents) {
            if (!dbus_connection_read_write(bus, 0)) return 0;
            DBusMessage *message;
            while ((message = dbus_connection_pop_message(bus))) {
                if (dbus_message_is_signal(message, "org.a11y.atspi.Event.ScreenReader", "RegionChanged"))
                    for (nfds_t client = 2; client < used; client++) send_all(descriptors[client].fd, bytes, count);
                dbus_message_unref(message);
            }
        }
        for (nfds_t client = 2; client < used;) {
            char byte;
            if (descriptors[client].revents && recv(descriptors[client].fd, &byte, 1, MSG_DONTWAIT) <= 0) {
                close(descriptors[client].fd);
                descriptors[client] = descriptors[--used];
            } else {
                client++;
            }
        }
        if (descriptors[1].revents && used < 2 + MAXIMUM_CLIENTS) {
            int client = accept(listener, NULL, NULL);
            if (client < 0) continue;
            send_all(client, bytes, count);
            descriptors[used++] = (struct pollfd){.fd = client, .events = POLLIN};
        }
    }
}
