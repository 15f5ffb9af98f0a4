//! Bodies in lanes: gathering their rows, pushing them, writing them back.

use drystone_geometry::lanes::{LANES, SymMat3x8, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::body_rows::{BodyRows, are_static};

/// Velocities and masses of eight bodies.
#[derive(Clone, Copy)]
pub(crate) struct BodyLanes<S: Simd> {
    /// Of the centre of mass, in m/s.
    pub(crate) linear: Vec3x8<S>,
    /// In world axes, in rad/s.
    pub(crate) angular: Vec3x8<S>,
    /// By world axis, in 1/kg; zero along a locked axis.
    pub(crate) inverse_mass: Vec3x8<S>,
    /// In world axes.
    pub(crate) inverse_inertia: SymMat3x8<S>,
}

/// Movement of eight bodies since the step began.
#[derive(Clone, Copy)]
pub(crate) struct DeltaLanes<S: Simd> {
    /// Of the centre, in metres.
    pub(crate) position: Vec3x8<S>,
    /// Vector part of the rotation.
    pub(crate) rotation: Vec3x8<S>,
    /// Scalar part of the rotation.
    pub(crate) rotation_w: f32x8<S>,
}

impl<S: Simd> BodyLanes<S> {
    /// The bodies of eight rows. Where all are static, as under whatever lies on a floor, there
    /// is nothing to look up.
    #[inline(always)]
    pub(crate) fn gather(simd: S, rows: &BodyRows, index: &[u32; LANES]) -> Self {
        if are_static(index) {
            let zero = Vec3x8::zero(simd);
            return Self {
                linear: zero,
                angular: zero,
                inverse_mass: zero,
                inverse_inertia: SymMat3x8 {
                    diagonal: zero,
                    off_diagonal: zero,
                },
            };
        }
        let (linear, angular) = rows.velocities(simd, index);
        let (inverse_inertia, inverse_mass) = rows.masses(simd, index);
        Self {
            linear,
            angular,
            inverse_mass,
            inverse_inertia,
        }
    }

    /// Applies an impulse on the centre and an angular impulse.
    #[inline(always)]
    pub(crate) fn push(&mut self, impulse: Vec3x8<S>, angular_impulse: Vec3x8<S>) {
        self.linear = self.linear + self.inverse_mass.mul_components(impulse);
        self.angular = self.angular + self.inverse_inertia.apply(angular_impulse);
    }

    /// Applies the opposite of both.
    #[inline(always)]
    pub(crate) fn pull(&mut self, impulse: Vec3x8<S>, angular_impulse: Vec3x8<S>) {
        self.linear = self.linear - self.inverse_mass.mul_components(impulse);
        self.angular = self.angular - self.inverse_inertia.apply(angular_impulse);
    }

    /// Writes the velocities of the bodies that may be written.
    #[inline(always)]
    pub(crate) fn scatter(&self, rows: &BodyRows, index: &[u32; LANES]) {
        rows.set_velocities(index, self.linear, self.angular);
    }
}

impl<S: Simd> DeltaLanes<S> {
    /// The movements of eight rows.
    #[inline(always)]
    pub(crate) fn gather(simd: S, rows: &BodyRows, index: &[u32; LANES]) -> Self {
        let (position, rotation, rotation_w) = rows.movements(simd, index);
        Self {
            position,
            rotation,
            rotation_w,
        }
    }

    /// Adds a movement by `way` metres and a turn by a small rotation vector.
    #[inline(always)]
    pub(crate) fn advance(&mut self, way: Vec3x8<S>, turn: Vec3x8<S>) {
        let simd = self.rotation_w.simd;
        let (half, one) = (f32x8::splat(simd, 0.5), f32x8::splat(simd, 1.0));
        let axis = turn.scale(half);
        let scale = one / (one + axis.length_sq()).sqrt();
        let (v, w) = (self.rotation, self.rotation_w);
        self.position = self.position + way;
        self.rotation = (v + axis.scale(w) + axis.cross(v)).scale(scale);
        self.rotation_w = (w - axis.dot(v)) * scale;
    }
}
