//! Grids of bodies or prefabs, with joints between neighbours.

use drystone::BodyKind;
use drystone::geometry::glam::{DVec3, Quat, Vec3};

use super::{End, Expander, PendingJoint, Scope};
use crate::decode::{BodyModel, GridRule, Item, KindModel};
use crate::diagnostic::Span;
use crate::random::Random;

/// The cells of a grid in the order in which they are counted: `order` names the axes, the
/// slowest first.
pub(crate) fn cells(count: [usize; 3], order: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [slow, middle, fast] = order.map(|axis| count[axis]);
    (0..slow * middle * fast).map(move |number| {
        let steps = [
            number / (middle * fast),
            number / fast % middle,
            number % fast,
        ];
        let mut cell = [0; 3];
        for (axis, step) in order.into_iter().zip(steps) {
            cell[axis] = step;
        }
        cell
    })
}

/// The number of a cell, x fastest, then y.
fn flat([x, y, z]: [usize; 3], count: [usize; 3]) -> usize {
    (z * count[1] + y) * count[0] + x
}

impl Expander<'_> {
    pub(super) fn grid(&mut self, item: &Item, rule: &GridRule, scope: &Scope, span: Span) {
        let [nx, ny, nz] = rule.count;
        if !self.has_room(nx.saturating_mul(ny).saturating_mul(nz), span) {
            return;
        }
        let mut random = Random::new(rule.seed);
        let mut net = rule.joint.clone().map(|kind| Net::new(kind, rule.count));
        for (number, cell) in cells(rule.count, rule.order).enumerate() {
            let place = place(rule, cell, &mut random);
            let name = format!("{}[{number}]", scope.prefix);
            match item {
                Item::Body(body) => {
                    let is_fixed = rule.fixed.is_some_and(|axis| cell[axis] == 0);
                    let fixed = is_fixed.then(|| as_static(body));
                    let body = fixed.as_ref().unwrap_or(body);
                    let index = self.repeat(body, scope, place, name, span);
                    if let Some(net) = &mut net {
                        self.hold(net, cell, index, scope, span);
                    }
                }
                Item::Prefab(prefab) => {
                    let inner = scope.copy(place, Quat::IDENTITY, name, number);
                    self.prefab(prefab, &inner);
                }
            }
        }
    }

    /// Joins a new body to its neighbours: the one before it along y, then x, then z.
    fn hold(&mut self, net: &mut Net, cell: [usize; 3], index: usize, scope: &Scope, span: Span) {
        // A scene that is full has no body there.
        if self.full {
            return;
        }
        net.bodies[flat(cell, net.count)] = index;
        for axis in [1, 0, 2] {
            if cell[axis] == 0 {
                continue;
            }
            let mut before = cell;
            before[axis] -= 1;
            let ends = [net.bodies[flat(before, net.count)], index];
            let [a, b] = ends.map(|end| &self.out.bodies[end].def);
            if a.kind != BodyKind::Dynamic && b.kind != BodyKind::Dynamic {
                continue;
            }
            let is_distance = matches!(net.kind, KindModel::Distance { .. });
            let anchor = (!is_distance).then(|| 0.5 * (a.position + b.position));
            self.pending(PendingJoint {
                name: format!("{}[{}]", scope.prefix, net.joints),
                name_span: span,
                ends: ends.map(End::Index),
                kind: net.kind.clone(),
                anchor,
                axis: scope.turn(Vec3::Z.as_dvec3()).as_vec3(),
                axis_b: None,
                local_anchors: [None; 2],
                local_rotations: [None; 2],
                collide_connected: false,
                threshold: None,
                span,
            });
            net.joints += 1;
        }
    }
}

/// The joints of a grid as it grows.
struct Net {
    kind: KindModel,
    count: [usize; 3],
    /// By cell.
    bodies: Vec<usize>,
    joints: usize,
}

impl Net {
    fn new(kind: KindModel, count: [usize; 3]) -> Self {
        Self {
            kind,
            count,
            bodies: vec![0; count.iter().product()],
            joints: 0,
        }
    }
}

fn as_static(body: &BodyModel) -> BodyModel {
    let mut body = body.clone();
    body.def.kind = BodyKind::Static;
    body.def.linear_velocity = Vec3::ZERO;
    body.def.angular_velocity = Vec3::ZERO;
    body.def.asleep = false;
    body
}

fn place(rule: &GridRule, cell: [usize; 3], random: &mut Random) -> DVec3 {
    let middle = |count: usize| {
        if rule.centered {
            (count - 1) as f64 / 2.0
        } else {
            0.0
        }
    };
    let [x, y, z] = cell.map(|step| step as f64);
    let steps = DVec3::new(x - middle(rule.count[0]), y, z - middle(rule.count[2]));
    let stagger = if cell[1] % 2 == 1 {
        rule.stagger
    } else {
        DVec3::ZERO
    };
    let mut place = rule.step * steps + stagger;
    if rule.jitter > 0.0 {
        let offset = [random.signed(), random.signed(), random.signed()];
        place += DVec3::from_array(offset) * rule.jitter;
    }
    place
}
