//! Normals of slivers in extended precision (double-double), after Dekker and Shewchuk.

use drystone_geometry::glam::DVec3;

/// An unevaluated sum of two doubles, the second below half a unit of the first.
#[derive(Clone, Copy)]
struct Double(f64, f64);

fn two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let b_virtual = sum - a;
    Double(sum, (a - (sum - b_virtual)) + (b - b_virtual))
}

fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

fn two_product(a: f64, b: f64) -> Double {
    let product = a * b;
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    Double(product, error)
}

impl Double {
    fn difference(a: f64, b: f64) -> Self {
        two_sum(a, -b)
    }

    fn times(self, other: Self) -> Self {
        let Self(high, low) = two_product(self.0, other.0);
        two_sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    fn minus(self, other: Self) -> Self {
        let Self(high, low) = two_sum(self.0, -other.0);
        let Self(high, low) = two_sum(high, low + (self.1 - other.1));
        Self(high, low)
    }

    fn value(self) -> f64 {
        self.0 + self.1
    }
}

/// `(b - a) x (c - a)`, good to `f64` rounding even where it nearly vanishes.
pub(crate) fn triangle_normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let difference = |p: DVec3| {
        [
            Double::difference(p.x, a.x),
            Double::difference(p.y, a.y),
            Double::difference(p.z, a.z),
        ]
    };
    let (u, v) = (difference(b), difference(c));
    let component = |i: usize, j: usize| u[i].times(v[j]).minus(u[j].times(v[i])).value();
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sliver whose height is one part in 1e15 of its length: plain arithmetic loses
    /// its normal, which is known by hand to be along Z.
    #[test]
    fn the_normal_of_a_sliver_is_right() {
        let a = DVec3::new(0.1, 0.1, 0.0);
        let step = 1.0 + 2.0 * f64::EPSILON;
        let b = DVec3::new(0.7, 0.7, 0.0);
        let c = DVec3::new(1.3, 1.3 * step, 0.0);
        let normal = triangle_normal(a, b, c);
        assert_eq!((normal.x, normal.y), (0.0, 0.0));
        let height = (c.y - c.x) * (b.x - a.x);
        assert!(
            (normal.z - height).abs() <= f64::EPSILON.sqrt() * height,
            "{} and {height}",
            normal.z
        );
    }
}
