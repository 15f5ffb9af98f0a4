//! Any points: a hull is closed, convex, holds them all and comes back from storage, or the
//! refusal is one that names a reason.
#![no_main]

use arbitrary::Unstructured;
use drystone_fuzz::points;
use drystone_geometry::glam::Vec3;
use drystone_geometry::{Hull, HullError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Unstructured::new(data);
    let points = if bytes.ratio(1, 4).unwrap_or(false) {
        // Raw bits: not even finite.
        let raw: Vec<[f32; 3]> = bytes.arbitrary().unwrap_or_default();
        raw.into_iter().take(64).map(Vec3::from_array).collect()
    } else {
        points(&mut bytes).unwrap_or_default()
    };
    match Hull::new(&points) {
        Ok(hull) => check(&hull, &points),
        Err(HullError::Unresolved | HullError::Corrupt { .. }) => panic!("{points:?}"),
        Err(_) => {}
    }
});

fn check(hull: &Hull, points: &[Vec3]) {
    let (vertices, edges, faces) = (hull.vertices().len(), hull.edge_count(), hull.faces().len());
    assert_eq!(vertices + faces, edges + 2, "Euler");
    let polytope = hull.polytope();
    let size = points
        .iter()
        .fold(0.0, |m: f32, p| m.max(p.abs().max_element()));
    let slack = 1e-5 * f64::from(size);
    for (index, face) in hull.faces().iter().enumerate() {
        assert!((face.normal.length() - 1.0).abs() < 1e-9, "face {index}");
        for (number, point) in points.iter().enumerate() {
            let above = face.normal.dot(point.as_dvec3()) - face.offset;
            assert!(
                above <= slack,
                "point {number} is {above} above face {index}"
            );
        }
        for half_edge in polytope.face_edges(index as u32) {
            assert_eq!(polytope.half_edges[half_edge as usize].face, index as u32);
            assert_ne!(polytope.origin(half_edge), polytope.target(half_edge));
        }
    }
    for vertex in hull.vertices() {
        assert!(points.contains(vertex), "{vertex} is none of the points");
        assert!(hull.support(vertex.as_dvec3()) < vertices as u32);
    }
    assert!(hull.volume() > 0.0 && hull.inner_radius() > 0.0);
    let stored = postcard::to_stdvec(hull).expect("a hull is plain data");
    let again: Hull = postcard::from_bytes(&stored).expect("what was stored can be read");
    assert!(again == *hull);
    // Bits that changed in storage are refused or give a hull; nothing else.
    let mut broken = stored;
    if let Some(byte) = broken.get_mut(points.len() * 7 % 97) {
        *byte ^= 1 << (points.len() % 8);
        if let Ok(hull) = postcard::from_bytes::<Hull>(&broken) {
            assert!(hull.support(Vec3::ONE.as_dvec3()) < hull.vertices().len() as u32);
        }
    }
}
