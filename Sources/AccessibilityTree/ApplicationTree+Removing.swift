extension ApplicationTree {
    /// Forgets a node and all that hangs below it, save what others list.
    package mutating func remove(_ slot: Slot) {
        guard contains(slot) else { return }
        var doomed = [slot]
        self[slot].flags.insert(.isDoomed)
        var next = 0
        while next < doomed.count {
            let current = doomed[next]
            next += 1
            for child in self[current].children where self[child].parent == current.number {
                orphan(child, &doomed)
            }
            for child in unlisted.removeValue(forKey: current) ?? [] {
                self[child].flags.remove(.isUnlisted)
                orphan(child, &doomed)
            }
        }
        if !told.isEmpty { told.removeAll { entries[Int($0.slot)].isDoomed || entries[Int($0.parent)].isDoomed } }
        for slot in doomed { erase(slot) }
    }

    private mutating func orphan(_ child: Slot, _ doomed: inout [Slot]) {
        self[child].parent = -1
        unattachedCount += 1
        guard !adopt(child) else { return }
        self[child].flags.insert(.isDoomed)
        doomed.append(child)
    }

    private mutating func erase(_ slot: Slot) {
        if isUnlisted(slot) {
            takeFromUnlisted(slot)
        } else if let parent = parent(of: slot), let place = position(of: slot) {
            removeChild(of: parent, at: place)
            changed(.children(parent))
            self[slot].parent = -1
            unattachedCount += 1
        }
        if isRoot(slot) {
            roots.removeAll { $0 == slot }
        } else {
            unattachedCount -= 1
        }
        if !otherListers.isEmpty {
            for lister in otherListers[slot] ?? [] {
                self[lister].children.removeAll { $0 == slot }
                removeOtherLister(lister, of: slot)
                changed(.children(lister))
            }
            for child in self[slot].children where contains(child) { removeOtherLister(slot, of: child) }
        }
        paths.remove(slot.number)
        names.remove(slot.number)
        rolesIndex.remove(slot.number)
        if !descriptions.isEmpty { descriptions[slot] = nil }
        if !attributesOf.isEmpty { attributesOf[slot] = nil }
        forgetID(of: slot)
        if isRead(slot), !self[slot].flags.contains(.hasID) { unaskedIDCount -= 1 }
        entries[Int(slot.number)] = Entry()
        free.append(slot.number)
        nodeCount -= 1
        changed(.removed(slot))
    }

    /// Takes one off a node's list, and keeps the places of the others near the truth.
    mutating func removeChild(of parent: Slot, at place: Int) {
        let child = self[parent].children.remove(at: place)
        if abs(Int(self[child].place) - place) > 256 { renumber(parent) }
    }

    /// Writes down where each child of a node stands.
    mutating func renumber(_ parent: Slot) {
        for (place, child) in self[parent].children.enumerated() where self[child].parent == parent.number {
            self[child].place = Int32(place)
        }
    }

    mutating func takeFromUnlisted(_ slot: Slot) {
        let parent = Slot(number: self[slot].parent)
        unlisted[parent]?.removeAll { $0 == slot }
        if unlisted[parent]?.isEmpty == true { unlisted[parent] = nil }
        self[slot].flags.remove(.isUnlisted)
        self[slot].parent = -1
        unattachedCount += 1
        changed(.children(parent))
    }

    mutating func insertOtherLister(_ lister: Slot, of child: Slot) {
        if otherListers[child, default: []].insert(lister).inserted { otherListingCount += 1 }
    }

    mutating func removeOtherLister(_ lister: Slot, of child: Slot) {
        guard otherListers[child]?.remove(lister) != nil else { return }
        otherListingCount -= 1
        if otherListers[child]?.isEmpty == true { otherListers[child] = nil }
    }
}
