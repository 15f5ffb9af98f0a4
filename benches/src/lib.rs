//! What the benchmarks share: reproducible piles of boxes, hulls and poses.
#![forbid(unsafe_code)]
