//! Scenes from text: what they make, what they say of mistakes, and what came true.

mod benchmarks;
mod expectations;
mod inputs;
mod meshes;
mod pair;
mod patterns;
mod planar;
mod ragdolls;
mod round_trip;
mod schema;
mod source;
mod spawns;
mod table;
