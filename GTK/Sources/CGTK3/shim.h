/* GTK 3, and what of it are macros or takes any number of arguments. */
#pragma once
#include <gtk/gtk.h>

/* Says that an accessible has another id than before. ATK itself says it to nobody (2.46, 2.56). */
static inline void focusd_gtk3_tell_id(AtkObject *accessible)
{
    AtkPropertyValues values = { .property_name = "accessible-id" };
    AtkPropertyValues *told = &values;
    g_value_init(&values.new_value, G_TYPE_STRING);
    g_value_set_static_string(&values.new_value, atk_object_get_accessible_id(accessible));
    g_signal_emit_by_name(accessible, "property-change::accessible-id", told, NULL);
    g_value_unset(&values.new_value);
}

static inline GtkWindow *focusd_gtk3_window(GtkWidget *widget)
{
    GtkWidget *top = gtk_widget_get_toplevel(widget);
    return GTK_IS_WINDOW(top) ? GTK_WINDOW(top) : NULL;
}
