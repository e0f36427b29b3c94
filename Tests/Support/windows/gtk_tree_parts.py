"""Parts of a GTK window, and the commands that change its tree: the same for GTK 3 and GTK 4."""


def tree_parts(gtk, parts, add, box, place, show):
    """Adds tabs and a list with rows to a box, and returns the commands by their first word.

    `add` puts a named part into a box, `place` a widget into a row or a page, `show` makes a new one visible.
    """
    tabs = add("Tabs", gtk.Notebook(), box)
    for number in range(3):
        page = gtk.Box(orientation=gtk.Orientation.VERTICAL)
        add(f"On page {number}", gtk.Label(label=f"On page {number}"), page)
        tabs.append_page(page, gtk.Label(label=f"Tab {number}"))
    rows = add("List", gtk.ListBox(), box)

    def insert(name, index=1):
        row = gtk.ListBoxRow()
        place(row, gtk.Label(label=name))
        parts[name] = row
        rows.insert(row, index)
        show(row)

    for number in range(3):
        insert(f"List row {number}", -1)

    def grow(name):
        group = add(name, gtk.Box(orientation=gtk.Orientation.VERTICAL), box)
        add(f"{name} label", gtk.Label(label=f"{name} label"), group)
        add(f"{name} button", gtk.Button(label=f"{name} button"), group)
        inner = add(f"{name} inner", gtk.Box(orientation=gtk.Orientation.VERTICAL), group)
        add(f"{name} check", gtk.CheckButton(label=f"{name} check"), inner)
        show(group)

    def remove(name):
        widget = parts.pop(name)
        widget.get_parent().remove(widget)

    return {
        "add": grow,
        "remove": remove,
        "check": lambda name: parts[name].set_active(not parts[name].get_active()),
        "page": lambda number: tabs.set_current_page(int(number)),
        "insert": insert,
    }
