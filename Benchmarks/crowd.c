/* Many clients of focusd in one process: when each of them is told of a move.
 *
 *   crowd --socket PATH --clients COUNT --moves COUNT --call TEXT [--every] [--deaf]
 *
 * Each client makes the call, which is answered with a stream. Prints READY when all have their first answer. Then, when
 * each has been told of so many changes, one line a change: the moments of CLOCK_MONOTONIC in nanoseconds at which the
 * first and the last of the clients had it; with --every, those at which each of them had it.
 *
 * With --deaf, none of them reads anything: READY comes when all have called, and nothing after it. It ends when its
 * standard input ends.
 */
#include "common.h"

enum { MAXIMUM_CLIENTS = 64 };

int main(int argc, char **argv) {
    const char *path = NULL, *call = NULL;
    int clients = 0, moves = 0;
    bool printsEvery = false, isDeaf = false;
    static const struct option options[] = {{"socket", required_argument, 0, 's'}, {"clients", required_argument, 0, 'c'},
                                            {"moves", required_argument, 0, 'm'}, {"call", required_argument, 0, 't'},
                                            {"every", no_argument, 0, 'e'}, {"deaf", no_argument, 0, 'd'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 's': path = optarg; break;
        case 'c': clients = atoi(optarg); break;
        case 'm': moves = atoi(optarg); break;
        case 't': call = optarg; break;
        case 'e': printsEvery = true; break;
        case 'd': isDeaf = true; break;
        default: return 2;
        }
    }
    if (!path || !call || clients < 1 || clients > MAXIMUM_CLIENTS || moves < 1) return 2;
    static struct pollfd descriptors[MAXIMUM_CLIENTS];
    int told[MAXIMUM_CLIENTS];
    for (int client = 0; client < clients; client++) {
        descriptors[client] = (struct pollfd){.fd = connect_socket(path), .events = POLLIN};
        send_all(descriptors[client].fd, call, strlen(call) + 1);
        /* The first answer is the state as it is, and no change. */
        told[client] = -1;
    }
    if (isDeaf) {
        puts("READY");
        fflush(stdout);
        while (getchar() != EOF) {}
        return 0;
    }
    int64_t *first = calloc((size_t)moves, sizeof *first), *last = calloc((size_t)moves, sizeof *last);
    int64_t *every = calloc((size_t)moves * (size_t)clients, sizeof *every);
    if (!first || !last || !every) die("memory");
    static char bytes[1 << 16];
    static const char element[] = "\"element\":";
    static bool hasElement[MAXIMUM_CLIENTS];
    int waiting = clients, finished = 0;
    int64_t giveUp = now_ns() + INT64_C(120000000000);
    while (finished < clients) {
        if (now_ns() > giveUp) die("the changes do not come");
        poll_until(descriptors, (nfds_t)clients, giveUp);
        for (int client = 0; client < clients; client++) {
            if (!descriptors[client].revents) continue;
            ssize_t count = recv(descriptors[client].fd, bytes, sizeof bytes, 0);
            if (count <= 0) die("focusd closed the connection");
            int64_t time = now_ns();
            for (char *at = bytes, *begin = bytes; (at = memchr(at, 0, (size_t)(bytes + count - at))); begin = ++at) {
                /* That a screen reader came or went is no move. A message in two pieces has the element in either. */
                hasElement[client] |= memmem(begin, (size_t)(at - begin), element, sizeof element - 1) != NULL;
                bool isMove = hasElement[client];
                hasElement[client] = false;
                if (told[client] >= 0 && !isMove) continue;
                int move = told[client]++;
                if (move < 0) {
                    if (--waiting == 0) {
                        puts("READY");
                        fflush(stdout);
                    }
                    continue;
                }
                if (move >= moves) continue;
                if (!first[move]) first[move] = time;
                last[move] = time;
                every[(size_t)move * (size_t)clients + (size_t)client] = time;
                if (move == moves - 1) finished++;
            }
            char *rest = memrchr(bytes, 0, (size_t)count);
            rest = rest ? rest + 1 : bytes;
            hasElement[client] |= memmem(rest, (size_t)(bytes + count - rest), element, sizeof element - 1) != NULL;
        }
    }
    for (int move = 0; move < moves; move++) {
        if (printsEvery) {
            for (int client = 0; client < clients; client++)
                printf("%lld ", (long long)every[(size_t)move * (size_t)clients + (size_t)client]);
            puts("");
        } else {
            printf("%lld %lld\n", (long long)first[move], (long long)last[move]);
        }
    }
    return 0;
}
