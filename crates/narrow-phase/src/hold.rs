//! HOLD: two overlapping cores whose depth is found from where it last was.
//!
//! The depth slides over the surface of the Minkowski difference to a direction of least
//! depth next to the last one, and is then shown to be the least of all: see
//! [`crate::least`]. What cannot be shown is left to a search.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;

use crate::collide::{Found, Query};
use crate::contact::bounded_pair;
use crate::convex::Pair;
use crate::cores::NOTHING;
use crate::least::{self, Least};
use crate::manifold::Draft;
use crate::tolerance::HELD_DEPTH;
use crate::trace::{Event, HoldEnd, Trace};

/// How an overlapping pair fared.
pub(crate) enum Held {
    /// The draft is filled.
    Found(Found),
    /// The cores are apart along the last direction; a walk may go on from these features.
    Apart([Feature; 2], DVec3),
    /// A search must find the depth: that nearby is not shown to be the least.
    Unproved,
    /// A search must find the depth: there is no way from the last direction.
    Lost,
}

/// Fills `draft` if the last direction leads to the least depth; otherwise leaves it empty.
#[inline(always)]
pub(crate) fn held<T: Trace>(
    pair: &Pair<'_>,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
    trace: &mut T,
) -> Held {
    let (Some(normal), Some(last)) = (query.hold, query.seed.features) else {
        trace.event(Event::Hold(HoldEnd::Nothing));
        return Held::Lost;
    };
    let (mut core, tolerance) = (NOTHING, HELD_DEPTH * pair.scale);
    match least::depth(pair, (last, false), normal, tolerance, trace, &mut core) {
        Least::Found(foot) => {
            trace.event(Event::Hold(HoldEnd::Proved));
            bounded_pair(pair, &core, &foot, radius, query, draft);
            Held::Found(Found {
                normal: core.normal,
                gap: core.lower - radius,
                features: Some([core.feature_a, core.feature_b]),
            })
        }
        Least::Apart(features, direction) => {
            trace.event(Event::Hold(HoldEnd::Apart));
            Held::Apart(features, direction)
        }
        Least::Unproved => {
            trace.event(Event::Hold(HoldEnd::Unproved));
            Held::Unproved
        }
        Least::Lost => {
            trace.event(Event::Hold(HoldEnd::Unproved));
            Held::Lost
        }
    }
}
