/* GTK 4, and what of it are macros, takes any number of arguments, or differs between its versions. */
#pragma once
#include <gtk/gtk.h>

static inline GtkAccessible *focusd_gtk_accessible(GtkWidget *widget) { return GTK_ACCESSIBLE(widget); }

static inline GtkWidget *focusd_gtk_widget(GtkAccessible *accessible)
{
    return GTK_IS_WIDGET(accessible) ? GTK_WIDGET(accessible) : NULL;
}

/* The window that a widget is in; NULL where it is in none. */
static inline GtkWindow *focusd_gtk_window(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    return root != NULL && GTK_IS_WINDOW(root) ? GTK_WINDOW(root) : NULL;
}

/* Whether it is itself, or by what it is made of, something that keys can be typed to. */
static inline gboolean focusd_gtk_takes_focus(GtkWidget *widget)
{
    return gtk_widget_get_focusable(widget) || GTK_IS_EDITABLE(widget);
}

/* Whether the window's keyboard focus is on it or inside of it. */
static inline gboolean focusd_gtk_has_focus(GtkWidget *widget, GtkWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(window);
    return focus != NULL && (focus == widget || gtk_widget_is_ancestor(focus, widget));
}

/* The accessible label that is set, which its accessible name begins with; NULL where none is. To be freed. */
static inline char *focusd_gtk_label(GtkAccessible *accessible)
{
    if (!gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL))
        return NULL;
    /* GTK shows what is set only to who expects something else. */
    return gtk_test_accessible_check_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, "\x01");
}

/* The accessible id that assistive technologies see, from GTK 4.22 on; NULL where there is none. To be freed. */
static inline char *focusd_gtk_id(GtkAccessible *accessible)
{
#if GTK_CHECK_VERSION(4, 22, 0)
    return gtk_accessible_get_accessible_id(accessible);
#else
    (void)accessible;
    return NULL;
#endif
}

/* Whether a parent lists it among its children. */
static inline gboolean focusd_gtk_is_presented(GtkAccessible *accessible)
{
    GtkAccessibleRole role = gtk_accessible_get_accessible_role(accessible);

    if (GTK_IS_WIDGET(accessible) && !gtk_widget_get_visible(GTK_WIDGET(accessible)))
        return FALSE;
    if (role == GTK_ACCESSIBLE_ROLE_NONE || role == GTK_ACCESSIBLE_ROLE_PRESENTATION)
        return FALSE;
    if (gtk_test_accessible_has_state(accessible, GTK_ACCESSIBLE_STATE_HIDDEN)) {
        char *differs = gtk_test_accessible_check_state(accessible, GTK_ACCESSIBLE_STATE_HIDDEN, FALSE);
        g_free(differs);
        return differs == NULL;
    }
    return TRUE;
}

#if GTK_CHECK_VERSION(4, 10, 0)

/* The accessible whose child it is, borrowed; NULL for a window. */
static inline GtkAccessible *focusd_gtk_parent(GtkAccessible *accessible)
{
    GtkAccessible *parent = gtk_accessible_get_accessible_parent(accessible);
    if (parent != NULL)
        g_object_unref(parent);
    return parent;
}

/* Its first child, borrowed, whether it is presented or not; NULL where it has none. */
static inline GtkAccessible *focusd_gtk_first_child(GtkAccessible *accessible)
{
    GtkAccessible *child = gtk_accessible_get_first_accessible_child(accessible);
    if (child != NULL)
        g_object_unref(child);
    return child;
}

/* The next child of its parent, borrowed; NULL where it is the last. */
static inline GtkAccessible *focusd_gtk_next_sibling(GtkAccessible *accessible)
{
    GtkAccessible *next = gtk_accessible_get_next_accessible_sibling(accessible);
    if (next != NULL)
        g_object_unref(next);
    return next;
}

#else

/* Before 4.10 the accessibles are the widgets. */

static inline GtkAccessible *focusd_gtk_parent(GtkAccessible *accessible)
{
    GtkWidget *parent = GTK_IS_WIDGET(accessible) ? gtk_widget_get_parent(GTK_WIDGET(accessible)) : NULL;
    return parent != NULL ? GTK_ACCESSIBLE(parent) : NULL;
}

static inline GtkAccessible *focusd_gtk_first_child(GtkAccessible *accessible)
{
    GtkWidget *child = GTK_IS_WIDGET(accessible) ? gtk_widget_get_first_child(GTK_WIDGET(accessible)) : NULL;
    return child != NULL ? GTK_ACCESSIBLE(child) : NULL;
}

static inline GtkAccessible *focusd_gtk_next_sibling(GtkAccessible *accessible)
{
    GtkWidget *next = GTK_IS_WIDGET(accessible) ? gtk_widget_get_next_sibling(GTK_WIDGET(accessible)) : NULL;
    return next != NULL ? GTK_ACCESSIBLE(next) : NULL;
}

#endif

/* Whether something stands between it and its children that it lists at one time and not at another: GTK 4.8 names the
   page of a stack as the parent of what the stack lists as its own child. */
static inline gboolean focusd_gtk_hides_levels(GtkAccessible *accessible) { return GTK_IS_STACK(accessible); }

/* What somebody waits to hear of one accessible. */
struct focusd_gtk_heard {
    GtkAccessible *accessible;
    gboolean was_heard;
};

static inline gboolean focusd_gtk_state_changed(
    GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data)
{
    struct focusd_gtk_heard *heard = data;
    (void)hint;
    if (count > 0 && gtk_at_context_get_accessible(g_value_get_object(&values[0])) == heard->accessible)
        heard->was_heard = TRUE;
    return TRUE;
}

/* Whether assistive technologies can know of it. GTK has no function for that, but it says that something about an
   accessible changed only of those that it has put on the bus: here the order of sorting, which it tells nobody. */
static inline gboolean focusd_gtk_is_on_bus(GtkAccessible *accessible)
{
    struct focusd_gtk_heard heard = {accessible, FALSE};
    guint signal = g_signal_lookup("state-change", GTK_TYPE_AT_CONTEXT);
    gulong hook;

    if (signal == 0 || gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_SORT))
        return TRUE;
    hook = g_signal_add_emission_hook(signal, 0, focusd_gtk_state_changed, &heard, NULL);
    gtk_accessible_update_property(
        accessible, GTK_ACCESSIBLE_PROPERTY_SORT, GTK_ACCESSIBLE_SORT_OTHER, -1);
    gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_SORT);
    g_signal_remove_emission_hook(signal, hook);
    return heard.was_heard;
}

/* Puts a widget on the bus and has its parent say that it came, as GTK does for widgets that were there before.

   That it is hidden and not hidden again is kept until it is on the bus and then told as one change: it came. What
   puts it there is a change of what it can do; that is changed back. */
static inline void focusd_gtk_announce(GtkWidget *widget)
{
    gboolean focusable = gtk_widget_get_focusable(widget);
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, FALSE, -1);
    gtk_widget_set_focusable(widget, !focusable);
    gtk_widget_set_focusable(widget, focusable);
}

/* Whether an assistive technology that asked its parent would have heard of it. */
static inline gboolean focusd_gtk_can_be_told(GtkWidget *widget)
{
    return gtk_widget_get_mapped(widget) && focusd_gtk_is_presented(GTK_ACCESSIBLE(widget));
}
