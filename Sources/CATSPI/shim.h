/* libatspi: what a test holds the table of roles against. focusd itself does not link it.
   Declared and not included: its header would bring GLib and libdbus into a second module. */
#pragma once
char *atspi_role_get_name(int role);
