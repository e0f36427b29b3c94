"""Parts of a GTK window by which the focus leaves it: a menu, a dialog, another window. The same for GTK 3 and GTK 4."""


def scene_parts(gtk, parts, add, box, window, kit):
    """Adds buttons for a menu and for a dialog to a box, and returns the commands by their first word.

    `kit` is what differs: `menu(labels)` makes a button with a menu, `fill(window, box)` puts a box into a window,
    `group(name)` makes a box with an accessible name, `answer(dialog, box)` gives a dialog its contents, `show` shows all.
    """

    def ask(_):
        dialog = gtk.Dialog(title="Question", transient_for=window, modal=True)
        answers = kit.group("Answers")
        add("Yes", gtk.Button(label="Yes"), answers)
        add("No", gtk.Button(label="No"), answers)
        kit.answer(dialog, answers)
        for name in ("Yes", "No"):
            parts[name].connect("clicked", lambda _: dialog.close())
        dialog.connect("response", lambda *_: dialog.destroy())
        kit.show(dialog)
        parts["Yes"].grab_focus()

    menu = kit.menu(["Open item", "Save item"])
    add("Menu", menu)
    add("Ask", gtk.Button(label="Ask")).connect("clicked", ask)

    def another(title):
        other = gtk.Window(title=title)
        contents = gtk.Box(orientation=gtk.Orientation.VERTICAL)
        kit.fill(other, contents)
        add(f"In {title}", gtk.Button(label=f"In {title}"), contents)
        add(f"Also in {title}", gtk.Button(label=f"Also in {title}"), contents)
        parts[title] = other
        kit.show(other)
        other.present()

    return {"another": another}
