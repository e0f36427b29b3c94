import AccessibilityTree
import FocusRegistry
import Testing

/// Where technologies were, written down for the next run and read by it.
struct LastPlaceTests {
    private func place(_ technology: String, _ path: String, isInActiveWindow: Bool = true) -> LastPlace {
        LastPlace(
            technology: TechnologyID(technology), busName: ":1.5",
            element: ObjectReference(busName: ":1.9", path: path), isInActiveWindow: isInActiveWindow)
    }

    private var places: LastPlaces {
        LastPlaces(
            bus: "0123abcd", places: [place("orca", "/a/1"), place("odilia", "/a/2", isInActiveWindow: false)],
            keyboard: ObjectReference(busName: ":1.7", path: "/k"))
    }

    @Test func `what is written is read again, in its order`() {
        #expect(LastPlaces(places.encoded) == places)
        #expect(LastPlaces(LastPlaces(bus: "b", places: []).encoded) == LastPlaces(bus: "b", places: []))
    }

    @Test func `what an earlier, longer text left behind the end does not count`() {
        #expect(LastPlaces(places.encoded + Array("orca\t:1.5\t:1.9\t/x\tactive\nend\n".utf8)) == places)
        #expect(LastPlaces(places.encoded + [0, 0, 0]) == places)
    }

    @Test func `a text that is cut anywhere is no text`() {
        let bytes = places.encoded
        // Without its last line break it is whole all the same.
        for length in 0..<(bytes.count - 1) { #expect(LastPlaces(Array(bytes[..<length])) == nil) }
    }

    @Test(arguments: [
        "", "\n\n\n", "focusd places 2\nb\nend\n", "focusd places 1\nend\n", "focusd places 1\nb\norca\nend\n",
        "focusd places 1\nb\norca\t:1.5\t:1.9\t/x\tmaybe\nend\n",
        "focusd places 1\nb\norca\torg.name\t:1.9\t/x\tactive\nend\n",
        "focusd places 1\nb\norca\t:1.5\t:1.9\tx\tactive\nend\n",
        "focusd places 1\nb\norca\t:1.5\t:1.9\t/x\tactive\tmore\nend\n",
        "focusd places 1\nb\n\t:1.5\t:1.9\t/x\tactive\nend\n",
    ])
    func `what is not right is not believed in part`(text: String) {
        #expect(LastPlaces(Array(text.utf8)) == nil)
    }

    @Test func `bytes that are no text are no text`() {
        #expect(LastPlaces([0xff, 0xfe, 10, 0xff, 10]) == nil)
        #expect(LastPlaces(Array("focusd places 1\n".utf8) + [0xff] + Array("\nend\n".utf8)) == nil)
    }

    @Test func `a place that needs too long a line is left out, and all that can be fit into what is kept`() {
        let long = String(repeating: "x", count: LastPlaces.maximumLineBytes)
        let odd = LastPlaces(bus: "b", places: [place("orca", "/\(long)"), place("odilia", "/c")])
        #expect(LastPlaces(odd.encoded) == LastPlaces(bus: "b", places: [place("odilia", "/c")]))
        let longest = "/" + String(repeating: "x", count: LastPlaces.maximumLineBytes - 40)
        let many = LastPlaces(
            bus: String(repeating: "b", count: 32), places: (0..<40).map { place("reader\($0)", longest) },
            keyboard: ObjectReference(busName: ":1.7", path: longest))
        #expect(many.encoded.count <= 16_384)
        #expect(LastPlaces(many.encoded)?.places == Array(many.places.prefix(LastPlaces.maximumPlaces)))
        #expect(LastPlaces(many.encoded)?.keyboard == many.keyboard)
    }

    @Test func `the text in which nothing is known is understood as that`() {
        #expect(LastPlaces(LastPlaces.nothing) == nil)
    }

    @Test func `a name that would break the lines is left out, and the rest is written`() {
        let odd = LastPlaces(bus: "b", places: [place("or\tca", "/a"), place("orca\n", "/b"), place("orca", "/c")])
        #expect(LastPlaces(odd.encoded) == LastPlaces(bus: "b", places: [place("orca", "/c")]))
    }
}
