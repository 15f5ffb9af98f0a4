//! This package holds the benchmarks below `benches/`; the library is empty because cargo
//! asks every package for one target.
#![forbid(unsafe_code)]
