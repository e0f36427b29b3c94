/* What a plain client of libatspi does to read a whole application: a walk, one question after the other, for the same
 * things that GetItems tells. libatspi caches nothing here, as in any client without its main loop.
 *
 *   AT_SPI_BUS_ADDRESS=… libatspi-walk APPLICATION-BUS-NAME
 *
 * Prints how many accessibles, and milliseconds.
 */
#include <atspi/atspi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long count;
static size_t bytes;

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void take(char *text) {
    if (text) bytes += strlen(text);
    g_free(text);
}

static void walk(AtspiAccessible *accessible) {
    count++;
    take(atspi_accessible_get_name(accessible, NULL));
    bytes += (size_t)atspi_accessible_get_role(accessible, NULL);
    AtspiStateSet *states = atspi_accessible_get_state_set(accessible);
    if (states) g_object_unref(states);
    take(atspi_accessible_get_description(accessible, NULL));
    GArray *interfaces = atspi_accessible_get_interfaces(accessible);
    if (interfaces) {
        for (guint index = 0; index < interfaces->len; index++) g_free(g_array_index(interfaces, char *, index));
        g_array_free(interfaces, TRUE);
    }
    int children = atspi_accessible_get_child_count(accessible, NULL);
    for (int index = 0; index < children; index++) {
        AtspiAccessible *child = atspi_accessible_get_child_at_index(accessible, index, NULL);
        if (!child) continue;
        walk(child);
        g_object_unref(child);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    atspi_init();
    AtspiAccessible *desktop = atspi_get_desktop(0), *found = NULL;
    int applications = atspi_accessible_get_child_count(desktop, NULL);
    for (int index = 0; index < applications && !found; index++) {
        AtspiAccessible *application = atspi_accessible_get_child_at_index(desktop, index, NULL);
        if (application && strcmp(application->parent.app->bus_name, argv[1]) == 0) found = application;
        else if (application) g_object_unref(application);
    }
    if (!found) {
        fprintf(stderr, "libatspi-walk: the registry knows no %s\n", argv[1]);
        return 1;
    }
    double begin = now_ms();
    walk(found);
    printf("%ld %.3f\n", count, now_ms() - begin);
    return bytes == 0;
}
