//! What the benchmarks of this package share with comparisons elsewhere. The benchmarks
//! themselves are below `benches/`.
#![forbid(unsafe_code)]

pub mod stacks;
