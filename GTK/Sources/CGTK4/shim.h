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

/* Tells assistive technologies of a widget that came into a window which is shown already, once for each window.

   GTK 4.8 does that only for widgets that somebody asked for before, so that new ones are found by chance. It takes two
   steps. A change of what a widget can do puts it on the bus: it is changed and changed back. A change of the accessible
   state "hidden" is told to those who follow the children of its parent. Nobody is answered in between. */
static inline void focusd_gtk_announce(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    GtkWidget *top = NULL;
    GtkWidget *one;
    gboolean focusable;

    if (root == NULL || GTK_WIDGET(root) == widget || !gtk_widget_get_mapped(widget))
        return;
    /* The outermost one that nobody was told of: whoever hears of it looks into it. */
    for (one = widget; one != NULL && one != GTK_WIDGET(root); one = gtk_widget_get_parent(one)) {
        if (g_object_get_data(G_OBJECT(one), "focusd-announced") == (gpointer)root)
            break;
        g_object_set_data(G_OBJECT(one), "focusd-announced", root);
        top = one;
    }
    if (top == NULL || !GTK_IS_WINDOW(root) || !focusd_gtk_is_presented(GTK_ACCESSIBLE(top)) ||
        focusd_gtk_has_focus(top, GTK_WINDOW(root)))
        return;
    focusable = gtk_widget_get_focusable(top);
    gtk_widget_set_focusable(top, !focusable);
    gtk_widget_set_focusable(top, focusable);
    gtk_accessible_update_state(GTK_ACCESSIBLE(top), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
    gtk_accessible_update_state(GTK_ACCESSIBLE(top), GTK_ACCESSIBLE_STATE_HIDDEN, FALSE, -1);
}
