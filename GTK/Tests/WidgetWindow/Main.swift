import AccessibilityFocus
import AccessibilityFocusGTK
import CGTK4
import Dispatch
import Glibc

/// A GTK 4 window with widgets of many kinds, each bound to a value of one state, for tests from outside.
///
/// The value is also the widget's accessible description. On standard input: rename VALUE=TEXT, insert VALUE (a new
/// button before it), remove VALUE, hide VALUE, show VALUE, set VALUE, and for the label that is not bound yet: bind
/// VALUE. Each is answered by `ok COMMAND`; changes of the state are printed as `value VALUE`.
@main @MainActor enum WidgetWindow {
    @AccessibilityFocusState private static var focused: String?
    @AccessibilityFocusState private static var isLateFocused: Bool
    private static var widgets: [String: UnsafeMutablePointer<GtkWidget>] = [:]

    static func main() {
        gtk_init()
        g_set_prgname("widget-window")
        guard let window = gtk_window_new() else { fatalError("no window") }
        gtk_window_set_title(window.cast(to: GtkWindow.self), "Widgets")
        gtk_window_set_child(window.cast(to: GtkWindow.self), content())
        $focused.onGTKChange { say("value \($0.value ?? "none")") }
        gtk_window_present(window.cast(to: GtkWindow.self))
        say("READY \(getpid())")
        Task { await obeyLines() }
        let loop = g_main_loop_new(nil, 0)
        g_main_loop_run(loop)
    }

    // MARK: - The window

    private static func content() -> UnsafeMutablePointer<GtkWidget> {
        let box = made(gtk_box_new(GTK_ORIENTATION_VERTICAL, 4))
        func add(_ value: String, _ widget: UnsafeMutablePointer<GtkWidget>?) -> UnsafeMutablePointer<GtkWidget> {
            let widget = bind(value, made(widget))
            gtk_box_append(box.cast(to: GtkBox.self), widget)
            return widget
        }
        _ = add("button", gtk_button_new_with_label("Plain"))
        _ = add("mnemonic", gtk_button_new_with_mnemonic("_Raise"))
        _ = add("label", gtk_label_new("Main text,\nin \"two\" lines"))
        let caption = add("caption", gtk_label_new_with_mnemonic("_Your name"))
        let entry = add("entry", gtk_entry_new())
        gtk_label_set_mnemonic_widget(OpaquePointer(caption), entry)
        _ = add("nameless entry", gtk_entry_new())
        _ = add("other nameless entry", gtk_entry_new())
        _ = add("switch", gtk_switch_new())
        _ = add("check", gtk_check_button_new_with_label("Check"))
        _ = add("icon", gtk_button_new_from_icon_name("list-add"))
        _ = add("empty label", gtk_label_new(""))

        let list = made(gtk_list_box_new())
        for row in 1...3 {
            let row = bind("row \(row)", made(gtk_label_new("Delete")))
            gtk_list_box_append(OpaquePointer(list), row)
        }
        gtk_box_append(box.cast(to: GtkBox.self), list)

        let frame = made(gtk_frame_new("Group"))
        gtk_frame_set_child(frame.cast(to: GtkFrame.self), bind("framed", made(gtk_label_new("In the group"))))
        gtk_box_append(box.cast(to: GtkBox.self), frame)

        let stack = made(gtk_stack_new())
        for page in 1...2 {
            let pageBox = made(gtk_box_new(GTK_ORIENTATION_VERTICAL, 4))
            for (value, widget) in [
                ("paged label \(page)", gtk_label_new("On page \(page)")), ("paged entry \(page)", gtk_entry_new()),
            ] {
                gtk_box_append(pageBox.cast(to: GtkBox.self), bind(value, made(widget)))
            }
            gtk_stack_add_titled(OpaquePointer(stack), pageBox, "page\(page)", "Page \(page)")
        }
        gtk_box_append(box.cast(to: GtkBox.self), stack)
        let late = made(gtk_label_new("Bound later"))
        describe(late, "late")
        widgets["late"] = late
        gtk_box_append(box.cast(to: GtkBox.self), late)
        return box
    }

    private static func bind(
        _ value: String, _ widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutablePointer<GtkWidget> {
        describe(widget, value)
        widgets[value] = widget
        Element(widget).accessibilityFocused($focused, equals: value)
        return widget
    }

    private static func describe(_ widget: UnsafeMutablePointer<GtkWidget>, _ text: String) {
        var property = GTK_ACCESSIBLE_PROPERTY_DESCRIPTION
        var value = GValue()
        gtk_accessible_property_init_value(property, &value)
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(OpaquePointer(widget), 1, &property, &value)
        g_value_unset(&value)
    }

    // MARK: - Commands

    private static func obeyLines() async {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let reader: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { data in
            guard let data else { return nil }
            let lines = Unmanaged<Lines>.fromOpaque(data).takeRetainedValue()
            while let line = readLine() { lines.continuation.yield(line) }
            lines.continuation.finish()
            return nil
        }
        var thread = pthread_t()
        pthread_create(&thread, nil, reader, Unmanaged.passRetained(Lines(continuation)).toOpaque())
        for await line in lines { await obey(line) }
        exit(0)
    }

    private static func obey(_ line: String) async {
        let command = line.split(separator: " ", maxSplits: 1).map(String.init)
        let arguments = command.last?.split(separator: "=").map(String.init) ?? []
        guard command.count == 2, let value = arguments.first else { return say("unknown \(line)") }
        if command[0] == "set" {
            do {
                let outcome = try await $focused.set(value, timeout: .seconds(20))
                say("outcome \(outcome.result) \(outcome.reason ?? outcome.route ?? "")")
            } catch {
                say("outcome \(error)")
            }
            return say("ok \(line)")
        }
        guard let widget = widgets[value], let parent = gtk_widget_get_parent(widget) else {
            return say("unknown \(line)")
        }
        switch command[0] {
        case "bind": say(await bindElsewhere(Element(widget)))
        case "rename":
            if widget.isA(gtk_label_get_type()) {
                gtk_label_set_text(OpaquePointer(widget), arguments.last)
            } else {
                gtk_button_set_label(widget.cast(to: GtkButton.self), arguments.last)
            }
        case "insert":
            let new = made(gtk_button_new_with_label("Inserted"))
            gtk_widget_insert_before(new, parent, widget)
        case "remove":
            widgets[value] = nil
            gtk_box_remove(parent.cast(to: GtkBox.self), widget)
        case "hide": gtk_widget_set_visible(widget, 0)
        case "show": gtk_widget_set_visible(widget, 1)
        default: return say("unknown \(line)")
        }
        say("ok \(line)")
    }

    /// Binds an element on another thread and sets its value there, while GTK's thread does something else. The outcome.
    private static func bindElsewhere(_ element: Element) async -> String {
        let binding = $isLateFocused
        let isOver = DispatchSemaphore(value: 0)
        let set = Task.detached {
            defer { isOver.signal() }
            element.accessibilityFocused(binding)
            do {
                let outcome = try await binding.set(true, timeout: .seconds(20))
                return "outcome \(outcome.result) \(outcome.reason ?? outcome.route ?? "")"
            } catch {
                return "outcome \(error)"
            }
        }
        work(until: isOver)
        return await set.value
    }

    /// GTK's thread is at work until this is over, or for so long that all that can be asked of it meanwhile is.
    private static func work(until isOver: DispatchSemaphore) {
        _ = isOver.wait(timeout: .now() + .milliseconds(300))
    }

    /// Past the C library's buffers, whose locks the thread that reads lines may hold.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if write(STDOUT_FILENO, bytes, bytes.count) < 0 { exit(1) }
    }

    private static func made(_ widget: UnsafeMutablePointer<GtkWidget>?) -> UnsafeMutablePointer<GtkWidget> {
        guard let widget else { fatalError("GTK made no widget") }
        return widget
    }
}

/// Where lines go that a thread reads.
private final class Lines: Sendable {
    let continuation: AsyncStream<String>.Continuation

    init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }
}

extension UnsafeMutablePointer<GtkWidget> {
    func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    func isA(_ type: GType) -> Bool { g_type_check_instance_is_a(cast(to: GTypeInstance.self), type) != 0 }
}
