import AccessibilityTree

/// Remembers a small number for elements; 0 where nothing is known. A dictionary that becomes an array when it grows.
struct SlotTable {
    private var few: [Int32: UInt8] = [:]
    private var many: [UInt8] = []

    private static let maximumFew = 128

    subscript(slot: ApplicationTree.Slot) -> UInt8 {
        get {
            if many.isEmpty { return few.isEmpty ? 0 : few[slot.number] ?? 0 }
            let index = Int(slot.number)
            return index < many.count ? many[index] : 0
        }
        set {
            if many.isEmpty {
                few[slot.number] = newValue
                if few.count > SlotTable.maximumFew { spread() }
                return
            }
            let index = Int(slot.number)
            if index >= many.count { grow(index) }
            many[index] = newValue
        }
    }

    private mutating func spread() {
        let highest = few.keys.max() ?? 0
        many = Array(repeating: 0, count: Int(highest) + 1)
        for (number, value) in few { many[Int(number)] = value }
        few = [:]
    }

    private mutating func grow(_ index: Int) {
        many += Array(repeating: 0, count: max(index + 1, many.count * 2) - many.count)
    }
}
