import AccessibilityFocus
import AccessibilityFocusGTK3
import CGTK3
import Dispatch
import Glibc

/// A GTK 3 window with a button and two labels of the same text, each bound to a value of one state.
///
/// The value is also the widget's accessible description. On standard input: remove VALUE, set VALUE, and for the label
/// that is not bound yet: bind VALUE. Each is answered by `ok COMMAND`; changes of the state are printed as `value VALUE`.
@main @MainActor enum WidgetWindow3 {
    @AccessibilityFocusState private static var focused: String?
    @AccessibilityFocusState private static var isLateFocused: Bool
    private static var widgets: [String: UnsafeMutablePointer<GtkWidget>] = [:]

    static func main() {
        gtk_init(nil, nil)
        g_set_prgname("widget-window3")
        guard let window = gtk_window_new(GTK_WINDOW_TOPLEVEL), let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)
        else { fatalError("no window") }
        gtk_container_add(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkContainer.self), box)
        for (value, widget) in [
            ("button", gtk_button_new_with_label("Button")), ("label", gtk_label_new("Same")),
            ("other label", gtk_label_new("Same")), ("late", gtk_label_new("Bound later")),
        ] {
            guard let widget else { fatalError("no widget") }
            atk_object_set_description(gtk_widget_get_accessible(widget), value)
            widgets[value] = widget
            // It gets its id here; the last one long after its window was searched for the others.
            if value != "late" { Element(widget).accessibilityFocused($focused, equals: value) }
            gtk_container_add(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkContainer.self), widget)
        }
        $focused.onGTKChange { say("value \($0.value ?? "none")") }
        gtk_widget_show_all(window)
        say("READY \(getpid())")
        Task.detached {
            while let line = readLine() { await obey(line) }
            exit(0)
        }
        gtk_main()
    }

    private static func obey(_ line: String) async {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { return say("unknown \(line)") }
        switch words[0] {
        case "set":
            do {
                let outcome = try await $focused.set(words[1], timeout: .seconds(20))
                say("outcome \(outcome.result) \(outcome.reason ?? outcome.route ?? "")")
            } catch {
                say("outcome \(error)")
            }
        case "bind": if let widget = widgets[words[1]] { say(await bindElsewhere(Element(widget))) }
        case "remove": if let widget = widgets.removeValue(forKey: words[1]) { gtk_widget_destroy(widget) }
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
}
