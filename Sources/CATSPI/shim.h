/* libatspi: only what joins libdbus to a GLib main context. */
#pragma once
#include <atspi/atspi-gmain.h>
