//! How the bodies of trees hang together.

use crate::joint::tree::{Class, MOST_ROWS};

/// How the bodies of a tree hang together. Bodies and joints have numbers of their own in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// By body: whether impulses push it.
    pub(crate) pushed: Vec<bool>,
    /// From the leaves to the root: when an edge comes, all beyond its child have come.
    pub(crate) edges: Vec<Edge>,
    /// By joint, edge after edge, then closing after closing.
    pub(crate) joints: Vec<Role>,
    pub(crate) closings: Vec<Closing>,
    /// Which closings edges feel, edge after edge.
    pub(crate) feels: Vec<Feel>,
}

/// The joints between two bodies of a tree that close a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Closing {
    /// As if one of the bodies hung on the other.
    pub(crate) edge: Edge,
    /// First of its rows in the system of all closings, and the end.
    pub(super) rows: [u32; 2],
}

/// That an edge feels what a closing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Feel {
    /// Index of the closing.
    pub(super) closing: u32,
    /// Index of the first of its [reactions](super::loops::LoopLanes).
    pub(super) at: u32,
}

/// The joints between a body and the next on the way to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) child: u32,
    pub(crate) parent: u32,
    /// First joint and the end.
    pub(crate) joints: [u32; 2],
    pub(crate) kernel: Kernel,
    /// What it is solved by while no stop of its joint is held.
    pub(crate) idle: Kernel,
    /// Whether later edges of the parent feel what hangs on this one.
    pub(crate) carries: bool,
    /// Whether it is part of a loop, which may hold what it does as well.
    pub(super) in_loop: bool,
    /// First of the closings that it feels in the shape's list, and the end.
    pub(super) feels: [u32; 2],
}

/// What a joint is in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Role {
    pub(crate) class: Class,
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    /// Whether B is the child.
    pub(crate) outward: bool,
}

/// What an edge is solved by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kernel {
    /// Of one ball.
    Ball,
    /// Of one hinge.
    Hinge,
    /// Of six rows, none of them a guide's.
    Six,
    /// Of one guide.
    Guide,
    /// Of one distance and what swings across it.
    Line,
    /// Of any joints.
    Many,
}

impl Shape {
    /// Adds what closes loops: by closing the bodies and the joints, which follow those of the edges.
    pub(crate) fn close(&mut self, closings: impl Iterator<Item = ([u32; 2], [usize; 2])>) {
        self.closings.clear();
        self.feels.clear();
        let mut first = 0;
        for (bodies, [from, to]) in closings {
            let joints = &self.joints[from..to];
            let rows: usize = joints.iter().map(|role| role.class.rows()).sum();
            let end = first + rows as u32;
            self.closings.push(Closing {
                edge: Edge::new(bodies, from, &self.joints[..to], false),
                rows: [first, end],
            });
            first = end;
        }
        if first > 0 {
            self.find_loops();
            self.find_feels();
        }
    }

    /// Marks the edges between the bodies of closings.
    fn find_loops(&mut self) {
        let mut above = vec![None; self.pushed.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            above[edge.child as usize] = Some((index, edge.parent));
        }
        let way = |body: u32| {
            std::iter::successors(above[body as usize], |&(_, body)| above[body as usize])
        };
        for Closing { edge, .. } in &self.closings {
            let (mut a, mut b): (Vec<_>, Vec<_>) =
                (way(edge.child).collect(), way(edge.parent).collect());
            // From the root on they may go together.
            while a.last().is_some() && a.last() == b.last() {
                a.pop();
                b.pop();
            }
            for (index, _) in a.into_iter().chain(b) {
                self.edges[index].in_loop = true;
            }
        }
    }

    /// An impulse on two bodies is felt by their edges, and by all that come later and hold what has felt it.
    fn find_feels(&mut self) {
        let mut feel = vec![vec![false; self.closings.len()]; self.pushed.len()];
        for (index, closing) in self.closings.iter().enumerate() {
            for body in [closing.edge.child, closing.edge.parent] {
                feel[body as usize][index] = true;
            }
        }
        let mut at = 0;
        for edge in &mut self.edges {
            let first = self.feels.len() as u32;
            let [child, parent] = [edge.child as usize, edge.parent as usize];
            for (index, closing) in self.closings.iter().enumerate() {
                if feel[child][index] || feel[parent][index] {
                    feel[parent][index] = true;
                    self.feels.push(Feel {
                        closing: index as u32,
                        at,
                    });
                    at += (closing.rows[1] - closing.rows[0]) * edge.kernel.most_rows();
                }
            }
            edge.feels = [first, self.feels.len() as u32];
        }
    }

    /// How many rows the system of all closings has.
    pub(super) fn closing_rows(&self) -> usize {
        let last = self.closings.last();
        last.map_or(0, |closing| closing.rows[1] as usize)
    }

    /// How many reactions edges have to what closings do.
    pub(super) fn reactions(&self) -> usize {
        let felt = |edge: &Edge| {
            let last = self.felt_by(edge).last();
            last.map(|feel| {
                let [first, end] = self.closings[feel.closing as usize].rows;
                feel.at + (end - first) * edge.kernel.most_rows()
            })
        };
        self.edges.iter().filter_map(felt).next_back().unwrap_or(0) as usize
    }

    /// The closings that an edge feels.
    #[inline(always)]
    pub(super) fn felt_by(&self, edge: &Edge) -> &[Feel] {
        &self.feels[edge.feels[0] as usize..edge.feels[1] as usize]
    }
}

impl Kernel {
    /// Most directions that it solves; a count.
    fn most_rows(self) -> u32 {
        match self {
            Self::Ball | Self::Line => 3,
            Self::Hinge => 5,
            Self::Six | Self::Guide => 6,
            Self::Many => MOST_ROWS as u32,
        }
    }

    fn of(joints: &[Role]) -> Self {
        let is_guide = |role: &Role| matches!(role.class, Class::Guide { .. });
        let guides = joints.iter().filter(|role| is_guide(role)).count();
        let rows: usize = joints.iter().map(|role| role.class.rows()).sum();
        match (rows, guides) {
            (3, 0) => Self::Ball,
            (3, 1) => Self::Line,
            (5, 0) => Self::Hinge,
            (6, 0) => Self::Six,
            (6, 1) if joints.len() == 1 => Self::Guide,
            _ => Self::Many,
        }
    }
}

impl Edge {
    /// Between two bodies, with these of the joints of its shape, from the `first` on.
    pub(crate) fn new(
        [child, parent]: [u32; 2],
        first: usize,
        joints: &[Role],
        carries: bool,
    ) -> Self {
        let kernel = Kernel::of(&joints[first..]);
        Self {
            child,
            parent,
            joints: [first as u32, joints.len() as u32],
            kernel,
            idle: match joints[first].class {
                Class::Stopped => Kernel::Hinge,
                _ => kernel,
            },
            carries,
            in_loop: false,
            feels: [0; 2],
        }
    }

    /// What it is solved by, given whether some stop of its joint is held.
    #[inline(always)]
    pub(super) fn kernel(&self, is_stopped: bool) -> Kernel {
        if is_stopped { self.kernel } else { self.idle }
    }
}
