/* GTK 3, and what of it are macros or takes any number of arguments. */
#pragma once
#include <gtk/gtk.h>

static inline GtkWindow *focusd_gtk3_window(GtkWidget *widget)
{
    GtkWidget *top = gtk_widget_get_toplevel(widget);
    return GTK_IS_WINDOW(top) ? GTK_WINDOW(top) : NULL;
}
