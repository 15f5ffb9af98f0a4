//! What the joints of a body did to it in the last sub-step, as far as the next step goes by it.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::body::{Body, BodyTable};
use crate::joint::prepared::slides;
use crate::joint::{Joint, JointImpulses, JointKind, hinge, slider};

/// Of one joint or of all that a body has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointedLoad {
    /// Sum of pulls, in N s.
    pub(crate) pull: f32,
    /// Sum of pulls times the arms at which they act, in N m s.
    pub(crate) tension: f32,
    /// What motors and springs can press the body against others with, in N s.
    pub(crate) press: f32,
    /// Whether there is a joint.
    pub(crate) is_jointed: bool,
    /// Whether pulls may swing the body to and fro about its centre. What is held by anchors on bodies that
    /// nothing moves turns about these, however hard it pulls, as a stone in a sling does.
    pub(crate) swings: bool,
}

impl JointedLoad {
    /// That of no joint.
    pub(crate) const NONE: Self = Self {
        pull: 0.0,
        tension: 0.0,
        press: 0.0,
        is_jointed: false,
        swings: false,
    };

    /// Adds that of another joint.
    pub(crate) fn add(&mut self, other: Self) {
        self.pull += other.pull;
        self.tension += other.tension;
        self.press += other.press;
        self.is_jointed |= other.is_jointed;
        self.swings |= other.swings;
    }
}

impl Joint {
    /// What it did to A and to B, in these slots if they are awake.
    pub(crate) fn loads(
        &self,
        bodies: &[Body],
        table: BodyTable<'_>,
        slots: [u32; 2],
    ) -> [JointedLoad; 2] {
        let mut pull = self.impulses.linear.length();
        let mut arms = [&self.frame_a, &self.frame_b].map(|frame| frame.translation.length());
        if slides(&self.kind) {
            // Both are pushed where B's anchor is, and the direction turns with A.
            let along = self.impulses.axes[..3].iter();
            pull += along.map(|axis| axis.total().abs()).sum::<f32>();
            let [a, b] = [self.body_a, self.body_b].map(|body| table.pose(bodies, body));
            let anchor = rotation::rotate(b.rotation, self.frame_b.translation);
            arms[0] = ((b.center - a.center).as_vec3() + anchor).length();
        }
        let mut loads = arms.map(|arm| JointedLoad {
            pull,
            tension: pull * arm,
            press: 0.0,
            is_jointed: true,
            swings: true,
        });
        if holds_anchors(&self.kind) {
            for (load, other) in loads.iter_mut().zip([slots[1], slots[0]]) {
                load.swings = bodies.get(other as usize).is_some_and(Body::is_dynamic);
            }
        }
        if let Some([push, turn]) = drive(&self.kind, &self.impulses) {
            for (load, slot) in loads.iter_mut().zip(slots) {
                // A torque presses with the surface, wherever that touches something.
                let press = |body: &Body| push + turn / body.extent.max(f32::MIN_POSITIVE);
                let body = bodies.get(slot as usize);
                load.press = body.map_or(0.0, press).min(f32::MAX);
            }
        }
        loads
    }
}

/// Whether it holds two anchors rigidly together, and nothing drives or stops it.
fn holds_anchors(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Ball { .. }
            | JointKind::Hinge {
                limit: None,
                motor: None,
                spring: None
            }
            | JointKind::Weld { linear: None, .. }
    )
}

/// Impulse and moment of motors and springs, in N s and N m s. Soft welds and wheels carry what stands on
/// them rather than press it.
fn drive(kind: &JointKind, impulses: &JointImpulses) -> Option<[f32; 2]> {
    let along = |i: usize| impulses.axes[i].motor + impulses.axes[i].spring;
    let all = |first| Vec3::new(along(first), along(first + 1), along(first + 2)).length();
    match kind {
        JointKind::Ball {
            spring: Some(_), ..
        } => Some([0.0, impulses.spring.length()]),
        JointKind::Hinge { .. } => Some([0.0, along(hinge::ABOUT).abs()]),
        JointKind::Slider { .. } => Some([along(slider::ALONG).abs(), 0.0]),
        JointKind::Distance { .. } => Some([along(0).abs(), 0.0]),
        JointKind::SixDof(_) => Some([all(0), all(3)]),
        _ => None,
    }
}
