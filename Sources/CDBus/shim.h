/* libdbus. Its variadic functions cannot be called from Swift: use the iterator functions. */
#pragma once
#include <dbus/dbus.h>
