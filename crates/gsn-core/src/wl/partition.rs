//! Partition refinement of one connected graph, O(m log n).
//!
//! Cells are split by how many arcs of each kind their vertices send into a splitter cell; of the
//! pieces of a cell that was a splitter before, the largest need not be one again (Hopcroft).
//! Every choice (order of pieces, order of the queue, which piece is the largest) depends on
//! counts and on proportions of cell sizes alone. Connected graphs that share one stable colour
//! share all of them, with sizes in one proportion, so they get their cells in the same order:
//! the order of cells together with the quotient matrix is a name of every colour.

use super::Start;
use crate::graph::Graph;

/// The neighbours of every vertex, with the kinds of the arcs between where there is more than one.
struct Links<'a> {
    graph: &'a Graph,
    /// `None` where all arcs are of one kind, so that the lists of the graph say everything.
    kinds: Option<LinkKinds>,
}

struct LinkKinds {
    offsets: Vec<u32>,
    /// Neighbour and kind of the arcs between: colour of the arc in and of the arc out, each plus
    /// one, zero where there is none.
    links: Vec<(u32, u64)>,
}

impl<'a> Links<'a> {
    fn new(graph: &'a Graph, arc: Option<&[u32]>) -> Self {
        if arc.is_none() && !graph.is_directed() {
            return Self { graph, kinds: None };
        }
        let n = graph.order();
        let colour = |id: usize| arc.map_or(1, |colours| u64::from(colours[id]) + 1);
        let mut offsets = Vec::with_capacity(n + 1);
        let mut links = Vec::with_capacity(graph.arc_count());
        offsets.push(0);
        // In an undirected graph the reverse of the arc v → u is the next unused arc of u: rows
        // are sorted, so the sources into u come in increasing order.
        let mut next: Vec<usize> = (0..n as u32).map(|v| graph.arcs_of(v).start).collect();
        for v in 0..n as u32 {
            if graph.is_directed() {
                let (out, back) = (graph.neighbors(v), graph.in_neighbors(v));
                let (mut i, mut j) = (0, 0);
                let first = graph.arcs_of(v).start;
                while i < out.len() || j < back.len() {
                    let a = out.get(i).copied().unwrap_or(u32::MAX);
                    let b = back.get(j).copied().unwrap_or(u32::MAX);
                    let u = a.min(b);
                    let mut kind = 0;
                    if a == u {
                        kind |= colour(first + i);
                        i += 1;
                    }
                    if b == u {
                        let id = graph.arc_id(u, v).unwrap_or_default();
                        kind |= colour(id) << 32;
                        j += 1;
                    }
                    links.push((u, kind));
                }
            } else {
                for (arc, &u) in graph.arcs_of(v).zip(graph.neighbors(v)) {
                    let back = next[u as usize];
                    next[u as usize] += 1;
                    links.push((u, colour(back) << 32 | colour(arc)));
                }
            }
            offsets.push(links.len() as u32);
        }
        Self { graph, kinds: Some(LinkKinds { offsets, links }) }
    }
}

impl LinkKinds {
    fn of(&self, v: u32) -> &[(u32, u64)] {
        &self.links[self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize]
    }
}

/// The stable colourings of the connected parts of some graphs, one behind the other.
#[derive(Default)]
pub(super) struct StableParts {
    /// Signatures: two parts have the same colours exactly when their signatures are equal.
    pub(super) keys: Vec<u32>,
    pub(super) parts: Vec<Part>,
    /// Number of parts of every graph.
    pub(super) of_graph: Vec<u32>,
    /// Cell of every vertex; the cells of a graph are numbered through its parts.
    pub(super) cell: Vec<u32>,
    /// Where the vertices of the current graph begin, and the cells of its current part.
    base: usize,
    cells: u32,
}

/// A connected part.
pub(super) struct Part {
    /// Where its signature ends; it begins where that of the part before ends.
    pub(super) end: usize,
    /// Number of its cells.
    pub(super) cells: u32,
    /// Number of its vertices.
    pub(super) size: u32,
}

impl StableParts {
    /// Room for so many graphs and vertices, so that lists need not move as they grow.
    pub(super) fn with_room(graphs: usize, vertices: usize) -> Self {
        Self {
            keys: Vec::with_capacity(2 * vertices + 4 * graphs),
            parts: Vec::with_capacity(graphs + graphs / 8),
            of_graph: Vec::with_capacity(graphs),
            cell: Vec::with_capacity(vertices),
            base: 0,
            cells: 0,
        }
    }

    /// A graph of `order` vertices begins.
    pub(super) fn begin(&mut self, order: usize) {
        self.base = self.cell.len();
        self.cell.resize(self.base + order, 0);
        self.of_graph.push(0);
        self.cells = 0;
    }

    /// A part of the graph begins. Parts whose signatures are of different kinds never share a
    /// name.
    pub(super) fn open(&mut self, cells: u32, size: u32, kind: u32) {
        self.keys.extend([kind, cells]);
        self.parts.push(Part { end: 0, cells, size });
    }

    /// Vertex `v` of the graph is in this cell of the part.
    pub(super) fn put(&mut self, v: usize, cell: u32) {
        self.cell[self.base + v] = self.cells + cell;
    }

    /// The part is complete.
    pub(super) fn close(&mut self) {
        if let Some(part) = self.parts.last_mut() {
            part.end = self.keys.len();
            self.cells += part.cells;
        }
        if let Some(parts) = self.of_graph.last_mut() {
            *parts += 1;
        }
    }
}

/// A signature with start colours.
pub(super) const COLOURED: u32 = 1;
/// A signature with kinds of arcs.
pub(super) const KINDS: u32 = 2;
/// A signature of few cells and small degrees: what a vertex sees is packed into 64 bits.
pub(super) const PACKED: u32 = 4;
/// Most cells and largest degree of a packed signature.
pub(super) const PACKED_CELLS: u32 = 64;
pub(super) const PACKED_DEGREE: usize = 7;

/// The sorted cells that a vertex sees, with their number, in one packed word.
pub(super) fn pack(keys: &mut Vec<u32>, around: &[u32]) {
    let word = around.iter().fold(around.len() as u64, |word, &cell| word << 6 | u64::from(cell));
    keys.extend([word as u32, (word >> 32) as u32]);
}

/// Memory of one thread.
#[derive(Default)]
pub(super) struct Refiner {
    /// Vertices of the part, cell after cell; a cell is known by where it starts.
    order: Vec<u32>,
    position: Vec<u32>,
    cell: Vec<u32>,
    length: Vec<u32>,
    queued: Vec<bool>,
    queue: Vec<u32>,
    count: Vec<u32>,
    hit: Vec<u32>,
    hits_in: Vec<u32>,
    touched: Vec<u32>,
    splitter: Vec<u32>,
    arrivals: Vec<(u64, u32)>,
    seen: Vec<bool>,
    pieces: Vec<(u32, u32)>,
}

impl Refiner {
    /// The stable colouring of a graph, connected part by connected part.
    pub(super) fn run(&mut self, graph: &Graph, start: Start<'_>, found: &mut StableParts) {
        let n = graph.order();
        found.begin(n);
        let links = Links::new(graph, start.arc);
        for list in [&mut self.position, &mut self.cell, &mut self.count] {
            list.clear();
            list.resize(n, 0);
        }
        for list in [&mut self.length, &mut self.hits_in] {
            list.clear();
            list.resize(n, 0);
        }
        self.queued.clear();
        self.queued.resize(n, false);
        self.seen.clear();
        self.seen.resize(n, false);
        for root in 0..n as u32 {
            if !self.seen[root as usize] {
                self.collect(&links, root);
                self.part(&links, start.vertex, found);
            }
        }
    }

    /// Fills `order` with the connected part of `root`.
    fn collect(&mut self, links: &Links<'_>, root: u32) {
        self.order.clear();
        self.order.push(root);
        self.seen[root as usize] = true;
        let mut at = 0;
        while at < self.order.len() {
            let v = self.order[at];
            at += 1;
            let mut visit = |u: u32| {
                if !std::mem::replace(&mut self.seen[u as usize], true) {
                    self.order.push(u);
                }
            };
            match &links.kinds {
                None => links.graph.neighbors(v).iter().for_each(|&u| visit(u)),
                Some(kinds) => kinds.of(v).iter().for_each(|&(u, _)| visit(u)),
            }
        }
    }

    fn part(&mut self, links: &Links<'_>, colours: Option<&[u32]>, found: &mut StableParts) {
        if let Some(colours) = colours {
            self.order.sort_unstable_by_key(|&v| (colours[v as usize], v));
        } else {
            self.order.sort_unstable();
        }
        self.queue.clear();
        let size = self.order.len();
        let colour = |v: u32| colours.map_or(0, |colours| colours[v as usize]);
        let mut begin = 0;
        for at in 0..size {
            let v = self.order[at];
            if at > 0 && colour(v) != colour(self.order[at - 1]) {
                begin = at;
            }
            if begin == at {
                self.length[at] = 0;
                self.queue.push(at as u32);
                self.queued[at] = true;
            }
            self.length[begin] += 1;
            self.position[v as usize] = at as u32;
            self.cell[v as usize] = begin as u32;
        }
        let (mut head, mut cells) = (0, self.queue.len());
        while head < self.queue.len() && cells < size {
            let start = self.queue[head] as usize;
            head += 1;
            self.queued[start] = false;
            cells += self.split_by(links, start);
        }
        for &start in &self.queue[head..] {
            self.queued[start as usize] = false;
        }
        self.finish(links, colours, found);
    }

    /// Splits all cells by the arcs into the cell at `start`; returns how many cells are new.
    fn split_by(&mut self, links: &Links<'_>, start: usize) -> usize {
        self.splitter.clear();
        self.splitter.extend_from_slice(&self.order[start..start + self.length[start] as usize]);
        let mut fresh = 0;
        match &links.kinds {
            None => {
                self.hit.clear();
                for &x in &self.splitter {
                    for &u in links.graph.neighbors(x) {
                        let count = &mut self.count[u as usize];
                        *count += 1;
                        if *count == 1 {
                            self.hit.push(u);
                        }
                    }
                }
                fresh += self.split_hit();
            }
            Some(kinds) => {
                let mut arrivals = std::mem::take(&mut self.arrivals);
                arrivals.clear();
                for &x in &self.splitter {
                    arrivals.extend(kinds.of(x).iter().map(|&(u, kind)| (kind, u)));
                }
                arrivals.sort_unstable();
                for run in arrivals.chunk_by(|a, b| a.0 == b.0) {
                    self.hit.clear();
                    for &(_, u) in run {
                        let count = &mut self.count[u as usize];
                        *count += 1;
                        if *count == 1 {
                            self.hit.push(u);
                        }
                    }
                    fresh += self.split_hit();
                }
                self.arrivals = arrivals;
            }
        }
        fresh
    }

    /// Splits the cells of the vertices in `hit` by their counts, and clears both.
    fn split_hit(&mut self) -> usize {
        self.touched.clear();
        for &u in &self.hit {
            let cell = self.cell[u as usize];
            if self.length[cell as usize] == 1 {
                continue;
            }
            let hits = &mut self.hits_in[cell as usize];
            if *hits == 0 {
                self.touched.push(cell);
            }
            // Vertices that were hit gather at the front of their cell.
            let to = (cell + *hits) as usize;
            *hits += 1;
            let from = self.position[u as usize] as usize;
            let other = self.order[to];
            self.order.swap(from, to);
            self.position[other as usize] = from as u32;
            self.position[u as usize] = to as u32;
        }
        self.touched.sort_unstable();
        let mut fresh = 0;
        let touched = std::mem::take(&mut self.touched);
        for &cell in &touched {
            fresh += self.split_cell(cell as usize);
        }
        self.touched = touched;
        for &u in &self.hit {
            self.count[u as usize] = 0;
        }
        fresh
    }

    fn split_cell(&mut self, cell: usize) -> usize {
        let length = self.length[cell] as usize;
        let hits = std::mem::take(&mut self.hits_in[cell]) as usize;
        let count = &self.count;
        let members = &mut self.order[cell..cell + hits];
        let first = count[members[0] as usize];
        if members.iter().any(|&v| count[v as usize] != first) {
            members.sort_unstable_by_key(|&v| count[v as usize]);
            for (at, &v) in members.iter().enumerate() {
                self.position[v as usize] = (cell + at) as u32;
            }
        } else if hits == length {
            return 0;
        }
        // Pieces: the hit ones by rising count, then the rest.
        self.pieces.clear();
        let mut begin = cell;
        for at in cell..=cell + length {
            let ends = at == cell + length
                || (at > cell
                    && self.count[self.order[at] as usize]
                        != self.count[self.order[at - 1] as usize]);
            if ends {
                self.pieces.push((begin as u32, (at - begin) as u32));
                begin = at;
            }
        }
        let largest =
            (0..self.pieces.len()).rev().max_by_key(|&at| self.pieces[at].1).unwrap_or_default();
        let was_queued = self.queued[cell];
        for (at, &(begin, length)) in self.pieces.iter().enumerate() {
            self.length[begin as usize] = length;
            if at > 0 {
                for &v in &self.order[begin as usize..(begin + length) as usize] {
                    self.cell[v as usize] = begin;
                }
            }
            let wanted = if was_queued { at > 0 } else { at != largest };
            if wanted {
                self.queued[begin as usize] = true;
                self.queue.push(begin);
            }
        }
        self.pieces.len() - 1
    }

    /// Writes down the quotient: for every cell its start colour and what one vertex of it sees.
    fn finish(&mut self, links: &Links<'_>, colours: Option<&[u32]>, found: &mut StableParts) {
        let size = self.order.len();
        let mut cells = 0u32;
        let mut at = 0;
        while at < size {
            // `hits_in` is all zero here; until the end it holds the numbers of the cells.
            self.hits_in[at] = cells;
            cells += 1;
            at += self.length[at] as usize;
        }
        let packed = links.kinds.is_none()
            && cells <= PACKED_CELLS
            && self.order.iter().all(|&v| links.graph.degree(v) <= PACKED_DEGREE);
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        let kind = bit(colours.is_some(), COLOURED)
            | bit(links.kinds.is_some(), KINDS)
            | bit(packed, PACKED);
        found.open(cells, size as u32, kind);
        let key = &mut found.keys;
        at = 0;
        while at < size {
            let v = self.order[at];
            if let Some(colours) = colours {
                key.push(colours[v as usize]);
            }
            match &links.kinds {
                None => {
                    self.touched.clear();
                    let number = |&u: &u32| self.hits_in[self.cell[u as usize] as usize];
                    self.touched.extend(links.graph.neighbors(v).iter().map(number));
                    self.touched.sort_unstable();
                    if packed {
                        pack(key, &self.touched);
                    } else {
                        key.push(self.touched.len() as u32);
                        key.extend_from_slice(&self.touched);
                    }
                }
                Some(kinds) => {
                    self.arrivals.clear();
                    let number = |u: u32| self.hits_in[self.cell[u as usize] as usize];
                    self.arrivals.extend(kinds.of(v).iter().map(|&(u, kind)| (kind, number(u))));
                    self.arrivals.sort_unstable();
                    key.push(self.arrivals.len() as u32);
                    for &(kind, cell) in &self.arrivals {
                        key.extend([(kind >> 32) as u32, kind as u32, cell]);
                    }
                }
            }
            at += self.length[at] as usize;
        }
        for &v in &self.order {
            found.put(v as usize, self.hits_in[self.cell[v as usize] as usize]);
        }
        found.close();
        at = 0;
        while at < size {
            self.hits_in[at] = 0;
            at += self.length[at] as usize;
        }
    }
}
