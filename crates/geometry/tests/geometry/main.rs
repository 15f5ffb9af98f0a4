//! The geometry crate from outside: hulls, shapes and mass against independent oracles.

mod degenerate;
mod folds;
mod hulls;
mod mass;
mod meshes;
mod oracle;
mod rays;
mod shapes;
