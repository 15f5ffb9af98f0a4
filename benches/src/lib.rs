//! What the benchmarks of this package share with comparisons elsewhere: pairs of shapes
//! and how they move. The benchmarks themselves are below `benches/`.
#![forbid(unsafe_code)]

pub mod pairs;
