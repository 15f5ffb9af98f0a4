//! What the benchmarks of this package share with comparisons elsewhere: crowds of boxes, pairs of
//! shapes and how they move, and stacks as the solver sees them. The benchmarks themselves are
//! below `benches/`.
#![forbid(unsafe_code)]

pub mod boxes;
pub mod pairs;
pub mod stacks;
