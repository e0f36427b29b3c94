extension ApplicationTree {
    /// What must be asked after an event: it told of something that is not known.
    package enum Question: Hashable, Sendable {
        /// What this node is.
        case item(Slot)
        /// Whom it lists as its children.
        case children(Slot)
    }

    /// A node says that it has one more child. An unknown parent is nobody's business: it is not in the tree.
    package mutating func childAdded(to parentPath: String, at index: Int?, _ childPath: String) -> [Question] {
        guard let parent = slot(at: parentPath), !states(of: parent).contains(.managesDescendants) else { return [] }
        // Its list has not come yet, and will have the child in it.
        guard isListed(parent) else { return [] }
        let known = slot(at: childPath)
        if let known, self[known].parent == parent.number, !isUnlisted(known) {
            // Told twice, or moved among its siblings.
            return position(of: known) == index ? [] : [.children(parent)]
        }
        var children = self[parent].children
        guard let index, index <= children.count, children.count < limits.maximumChildren else {
            return [.children(parent)]
        }
        guard let child = known ?? make(childPath) else { return [] }
        guard depth(of: parent) < limits.maximumDepth else { return [] }
        children.insert(child, at: index)
        self[parent].children = []
        replaceChildren(of: parent, with: children, inserting: child, at: index)
        self[parent].statedChildren = Int32(clamping: children.count)
        if !isRead(child) { return [.item(child)] }
        return isListed(child) || self[child].statedChildren == 0 ? [] : [.children(child)]
    }

    private mutating func replaceChildren(
        of parent: Slot, with children: [Slot], inserting child: Slot, at index: Int
    ) {
        self[parent].children = children
        changed(.children(parent))
        if isUnlisted(child) { takeFromUnlisted(child) }
        if self[child].parent < 0, !isRoot(child), child != parent, !isInside(parent, child) {
            self[child].parent = parent.number
            self[child].place = Int32(index)
            unattachedCount -= 1
            if isRead(child) { changed(.inserted(child)) }
        } else {
            if child == parent || isInside(parent, child) {
                oddities.cycles += 1
            } else {
                oddities.secondParents += 1
            }
            otherListers[child, default: []].append(parent)
        }
    }

    /// A node says that it has a child less. True where that was news.
    @discardableResult
    package mutating func childRemoved(from parentPath: String, _ childPath: String) -> Bool {
        guard let parent = slot(at: parentPath), let child = slot(at: childPath) else { return false }
        if isUnlisted(child), self[child].parent == parent.number {
            remove(child)
            return true
        }
        let place =
            self[child].parent == parent.number
            ? position(of: child) : self[parent].children.firstIndex(of: child)
        guard let place else { return false }
        self[parent].children.remove(at: place)
        self[parent].statedChildren = Int32(clamping: self[parent].children.count)
        changed(.children(parent))
        if !self[parent].children.contains(child) { unlist(child, from: parent) }
        return true
    }

    /// Takes what a cache says of a new object, which may not be in any list yet.
    ///
    /// Returns the node whose list must be asked for if no signal names the new one soon.
    package mutating func itemAdded(_ item: TreeItem) -> Slot? {
        let known = slot(at: item.path)
        if known == nil, unattachedCount >= limits.maximumUnattached { return nil }
        guard let slot = known ?? make(item.path) else { return nil }
        update(slot, item)
        if let children = item.children { setChildren(of: slot, children) }
        if item.childCount == 0, !isListed(slot) { self[slot].flags.insert(.isListed) }
        guard self[slot].parent < 0, !isRoot(slot), let parent = item.parent, parent.busName == busName else {
            return nil
        }
        return self.slot(at: parent.path)
    }

    /// Hangs a node that focus is on below its parent, which does not list it: broken ancestry, or made when needed.
    package mutating func insertUnlisted(_ item: TreeItem, below parent: Slot) -> Slot? {
        guard let slot = slot(at: item.path) ?? make(item.path) else { return nil }
        update(slot, item)
        guard self[slot].parent < 0, !isRoot(slot), slot != parent, !isInside(parent, slot),
            depth(of: parent) < limits.maximumDepth
        else { return slot }
        self[slot].parent = parent.number
        self[slot].flags.insert(.isUnlisted)
        unattachedCount -= 1
        unlisted[parent, default: []].append(slot)
        changed(.inserted(slot))
        return slot
    }

    // MARK: - What a node says of itself

    /// True where that was news.
    @discardableResult
    package mutating func setState(_ state: State, _ isOn: Bool, of slot: Slot) -> Bool {
        var states = self[slot].states
        if isOn { states.insert(state) } else { states.remove(state) }
        return setStates(states, of: slot)
    }

    @discardableResult
    package mutating func setStates(_ states: StateSet, of slot: Slot) -> Bool {
        let before = self[slot].states
        guard before != states else { return false }
        self[slot].states = states
        if isRead(slot) { changed(.states(slot, StateSet(bits: before.bits ^ states.bits))) }
        if before.contains(.managesDescendants) != states.contains(.managesDescendants) {
            // What it lists is not kept, or is not known.
            let children = self[slot].children
            self[slot].children = []
            self[slot].flags.remove(.isListed)
            for child in children { unlist(child, from: slot) }
        }
        return true
    }

    @discardableResult
    package mutating func setName(_ name: String, of slot: Slot) -> Bool {
        let name = cut(name, slot)
        let before = self[slot].name
        guard !name.utf8.elementsEqual(before.utf8) else { return false }
        if !before.isEmpty { names.remove(slot.number) }
        self[slot].name = name
        if !name.isEmpty { names.insert(slot.number, hash: PlainText.normal(name).hashValue) }
        if isRead(slot) { changed(.name(slot)) }
        return true
    }

    @discardableResult
    package mutating func setRole(_ role: Role, of slot: Slot) -> Bool {
        guard self[slot].role != role || !isRead(slot) else { return false }
        rolesIndex.remove(slot.number)
        self[slot].role = role
        rolesIndex.insert(slot.number, hash: ApplicationTree.spread(role))
        if isRead(slot) { changed(.role(slot)) }
        return true
    }

    @discardableResult
    package mutating func setDescription(_ description: String, of slot: Slot) -> Bool {
        if description.isEmpty, descriptions.isEmpty { return false }
        let description = cut(description, slot)
        guard (descriptions[slot] ?? "") != description else { return false }
        descriptions[slot] = description.isEmpty ? nil : description
        if isRead(slot) { changed(.description(slot)) }
        return true
    }

    package mutating func setID(_ id: String, of slot: Slot) {
        let id = cut(id, slot)
        guard self.id(of: slot) != id else { return }
        forgetID(of: slot)
        self[slot].flags.insert(.hasID)
        if !id.isEmpty {
            ids[slot] = id
            idIndex[id, default: []].append(slot)
        }
        changed(.id(slot))
    }

    mutating func forgetID(of slot: Slot) {
        guard let before = ids.removeValue(forKey: slot) else { return }
        idIndex[before]?.removeAll { $0 == slot }
        if idIndex[before]?.isEmpty == true { idIndex[before] = nil }
    }

    /// Nil forgets them: they are asked for again when they are needed.
    package mutating func setAttributes(_ attributes: [String: String]?, of slot: Slot) {
        guard attributesOf[slot] != attributes else { return }
        attributesOf[slot] = attributes
        changed(.attributes(slot))
    }

    private mutating func cut(_ text: String, _ slot: Slot) -> String {
        guard text.utf8.count > limits.maximumTextBytes else { return text }
        if !self[slot].flags.contains(.hasNameCut) { oddities.cutTexts += 1 }
        self[slot].flags.insert(.hasNameCut)
        return PlainText.cut(text, maximumBytes: limits.maximumTextBytes)
    }
}
