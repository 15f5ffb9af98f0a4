//! A pair on any way, creeping, spinning, jumping: what a tracker answers is what a cold
//! query answers, and contacts keep up.
#![no_main]

use arbitrary::{Result, Unstructured};
use drystone_fuzz::{Known, judge, move_on, pose, shape};
use drystone_geometry::Manifold;
use drystone_narrow_phase::{
    CollideSettings, Counters, Tracker, collide, distance, distance_tracked,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (a, b, mut frame) = (shape(bytes)?, shape(bytes)?, pose(bytes)?);
    let (on_a, on_b) = (Known::new(&a), Known::new(&b));
    let reach = on_a.extent() + on_b.extent();
    let (mut tracker, mut contact) = (Tracker::default(), Tracker::default());
    let (mut manifold, mut counters) = (Manifold::EMPTY, Counters::default());
    let settings = CollideSettings {
        margin: (0.01 * reach) as f32,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    for _ in 0..24 {
        let cold = distance(&a, &b, &frame);
        let warm = distance_tracked(&a, &b, &frame, &mut tracker, &mut counters);
        judge(&on_a, &on_b, &frame, &warm);
        let size = reach + frame.translation.length();
        let apart = (cold.lower - warm.upper).max(warm.lower - cold.upper);
        assert!(apart <= 1e-11 * size, "{cold:?} {warm:?}");
        collide(
            &a,
            &b,
            &frame,
            &settings,
            &mut contact,
            &mut manifold,
            &mut counters,
        );
        if cold.lower < -0.05 * reach {
            assert!(!manifold.is_empty(), "no contact at {cold:?}");
        }
        if cold.lower > 0.02 * reach + 1e-5 * size {
            assert!(manifold.is_empty(), "{manifold:?} at {cold:?}");
        }
        if bytes.is_empty() {
            break;
        }
        move_on(bytes, &mut frame, reach, &warm)?;
    }
    Ok(())
}
