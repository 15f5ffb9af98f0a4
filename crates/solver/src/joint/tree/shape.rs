//! How the bodies of trees hang together.

use crate::joint::tree::Class;

/// How the bodies of a tree hang together. Bodies and joints have numbers of their own in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// By body: whether impulses push it.
    pub(crate) pushed: Vec<bool>,
    /// From the leaves to the root: when an edge comes, all beyond its child have come.
    pub(crate) edges: Vec<Edge>,
    /// By joint, edge after edge.
    pub(crate) joints: Vec<Role>,
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
    /// Of any joints.
    Many,
}

impl Kernel {
    fn of(joints: &[Role]) -> Self {
        let is_guide = |role: &Role| matches!(role.class, Class::Guide { .. });
        let rows: usize = joints.iter().map(|role| role.class.rows()).sum();
        match rows {
            3 => Self::Ball,
            5 => Self::Hinge,
            6 if joints.iter().any(is_guide) => Self::Guide,
            6 => Self::Six,
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
        }
    }

    /// What it is solved by, given whether some stop of its joint is held.
    #[inline(always)]
    pub(super) fn kernel(&self, is_stopped: bool) -> Kernel {
        if is_stopped { self.kernel } else { self.idle }
    }
}
